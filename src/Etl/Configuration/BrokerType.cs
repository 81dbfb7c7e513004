namespace Jackdaw.Etl.Configuration;

/// <summary>What kind of sink a connection string or a task is for; the names are the protocol's.</summary>
public enum BrokerType
{
    /// <summary>None of the protocol's: a webhook.</summary>
    None,
    Kafka,
    RabbitMq,
    AzureQueueStorage,
    AmazonSqs,
    AzureServiceBus,
}
