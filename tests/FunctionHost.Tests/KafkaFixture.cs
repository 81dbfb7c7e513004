using Jackdaw.Brokers;

namespace Jackdaw.FunctionHost.Tests;

/// <summary>One Kafka for all tests of a class; none where there is none to be had.</summary>
public sealed class KafkaFixture : IAsyncLifetime
{
    public KafkaBroker? Broker { get; private set; }

    public async Task InitializeAsync()
    {
        if (BrokerAvailability.WhyNot(BrokerKind.Kafka) is null || BrokerAvailability.AreRequired)
            Broker = await KafkaBroker.StartAsync();
    }

    public async Task DisposeAsync()
    {
        if (Broker is not null)
            await Broker.DisposeAsync();
    }
}
