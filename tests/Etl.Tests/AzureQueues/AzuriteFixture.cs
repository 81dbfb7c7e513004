using Jackdaw.Brokers;
using Xunit;

namespace Jackdaw.Etl.Tests.AzureQueues;

/// <summary>One Azurite for the tests of this folder.</summary>
public sealed class AzuriteFixture : IAsyncLifetime
{
    public const string Collection = "Azurite";

    public AzuriteBroker Broker { get; private set; } = null!;

    public async Task InitializeAsync()
    {
        // Where there is none its tests are skipped, and nobody asks for it.
        if (BrokerAvailability.AreRequired || BrokerAvailability.WhyNot(BrokerKind.Azurite) is null)
            Broker = await AzuriteBroker.StartAsync();
    }

    public async Task DisposeAsync()
    {
        if (Broker is not null)
            await Broker.DisposeAsync();
    }
}
