using Jackdaw.Bench.Frame;
using Jackdaw.Brokers;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>Azurite, for one contender.</summary>
internal static class AzureEmulator
{
    /// <exception cref="ContenderUnavailableException">It cannot be had here.</exception>
    public static async Task<AzuriteBroker> StartAsync() =>
        BrokerAvailability.WhyNot(BrokerKind.Azurite) is { } reason ? throw new ContenderUnavailableException(reason) : await AzuriteBroker.StartAsync();
}
