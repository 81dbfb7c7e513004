namespace Jackdaw.FunctionHost.Apps;

/// <summary>What starts a function.</summary>
internal enum TriggerKind
{
    /// <summary>A queue of Azure Storage.</summary>
    Queue,

    /// <summary>A queue of RabbitMQ.</summary>
    RabbitMq,

    /// <summary>A topic of Kafka.</summary>
    Kafka,
}
