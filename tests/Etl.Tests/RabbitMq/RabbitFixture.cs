using Jackdaw.Brokers;
using Xunit;

namespace Jackdaw.Etl.Tests.RabbitMq;

/// <summary>One broker for all tests of the sink, started by the first that needs it: where it cannot be had, no test gets that
/// far.</summary>
public sealed class RabbitFixture : IAsyncLifetime
{
    private RabbitBroker? _broker;

    /// <summary>Has signed the broker's certificate, and is whom the broker trusts.</summary>
    public TestAuthority Authority { get; } = new();

    public async Task<RabbitBroker> BrokerAsync() => _broker ??= await RabbitBroker.StartAsync(Authority);

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        if (_broker is not null)
            await _broker.DisposeAsync();
        Authority.Dispose();
    }
}
