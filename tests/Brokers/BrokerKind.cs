namespace Jackdaw.Brokers;

/// <summary>The real servers that tests start.</summary>
public enum BrokerKind
{
    /// <summary>Azure Queue and Blob Storage, emulated: <see cref="AzuriteBroker"/>.</summary>
    Azurite,

    /// <summary><see cref="RabbitBroker"/>.</summary>
    RabbitMq,

    /// <summary><see cref="KafkaBroker"/>.</summary>
    Kafka,
}
