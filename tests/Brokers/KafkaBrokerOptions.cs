namespace Jackdaw.Brokers;

/// <summary>What a test wants of its Kafka.</summary>
public sealed record KafkaBrokerOptions
{
    /// <summary>
    /// A port of 127.0.0.1, such as a <see cref="CuttingProxy"/>'s, that clients are told to connect to when they come by
    /// <see cref="KafkaBroker.ProxiedPort"/>; null: there
    /// is no such listener. Clients of <see cref="KafkaBroker.BootstrapServers"/> are not concerned.
    /// </summary>
    public int? AdvertisedPort { get; init; }

    /// <summary>A port of 127.0.0.1 for a listener <c>SASLED</c> (SASL_PLAINTEXT), whose mechanisms and users
    /// <see cref="Properties"/> say; null: there is none.</summary>
    public int? SaslPort { get; init; }

    /// <summary>Further lines of server.properties; they win over this library's.</summary>
    public IReadOnlyDictionary<string, string> Properties { get; init; } = new Dictionary<string, string>();

    /// <summary>Whether its code is compiled as for production; otherwise it starts faster and takes less processor time in its
    /// first minute.</summary>
    public bool ForMeasuring { get; init; }
}
