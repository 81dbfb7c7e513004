namespace Jackdaw.Etl.RabbitMq;

/// <summary>Of the queues that a task declares; all are durable.</summary>
public enum RabbitMqQueueType
{
    /// <summary>What the broker makes when nothing is said: a classic queue, unless its virtual host has another default.</summary>
    Default,

    /// <summary>On one node.</summary>
    Classic,

    /// <summary>Replicated.</summary>
    Quorum,
}
