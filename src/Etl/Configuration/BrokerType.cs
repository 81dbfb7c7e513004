namespace Jackdaw.Etl.Configuration;

/// <summary>What kind of sink a connection string or a task is for; the names are the protocol's.</summary>
public enum BrokerType
{
    /// <summary>None of the protocol's: a webhook.</summary>
    None,

    /// <summary>Apache Kafka, and what speaks its protocol.</summary>
    Kafka,

    /// <summary>RabbitMQ.</summary>
    RabbitMq,

    /// <summary>Azure Queue Storage.</summary>
    AzureQueueStorage,

    /// <summary>Amazon SQS; not supported by this version.</summary>
    AmazonSqs,

    /// <summary>Azure Service Bus; not supported by this version.</summary>
    AzureServiceBus,
}
