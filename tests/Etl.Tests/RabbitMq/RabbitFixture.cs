using Jackdaw.Brokers;
using Xunit;

namespace Jackdaw.Etl.Tests.RabbitMq;

/// <summary>One broker for all tests of the sink, started by the first that needs it: where it cannot be had, no test gets that far.</summary>
public sealed class RabbitFixture : IAsyncLifetime
{
    private RabbitBroker? _broker;

    public async Task<RabbitBroker> BrokerAsync() => _broker ??= await RabbitBroker.StartAsync();

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        if (_broker is not null)
            await _broker.DisposeAsync();
    }
}
