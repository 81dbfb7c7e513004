using System.Text.Json.Nodes;
using Jackdaw.Bench.Frame;
using Jackdaw.Brokers;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>The one broker of all contenders of a benchmark: started by the first that asks, ended with the last that lets go.</summary>
internal abstract class SharedBroker<TBroker>(BrokerKind kind) : ISharedBroker
    where TBroker : Broker
{
    private TBroker? _broker;
    private int _users;

    public abstract JsonObject Connection { get; }

    protected TBroker Broker => _broker ?? throw new InvalidOperationException("the broker was not started");

    public async Task StartAsync()
    {
        if (BrokerAvailability.WhyNot(kind) is { } reason)
            throw new ContenderUnavailableException(reason);
        _broker ??= await StartBrokerAsync();
        _users++;
    }

    public async Task LetGoAsync()
    {
        if (_broker is null || --_users > 0)
            return;
        await _broker.DisposeAsync();
        _broker = null;
    }

    public abstract Task RequireAndRemoveAsync(string target, long count, CancellationToken cancel);

    protected abstract Task<TBroker> StartBrokerAsync();
}
