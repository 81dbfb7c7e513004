namespace Jackdaw.Etl.RabbitMq;

/// <summary>What a queue at its length limit does.</summary>
public enum RabbitMqOverflow
{
    /// <summary>Refuses new messages: the task waits until there is room.</summary>
    RejectPublish,

    /// <summary>Drops its oldest messages, or hands them to its dead-letter exchange.</summary>
    DropHead,
}
