namespace Jackdaw.Etl;

/// <summary>Steps between which a crash matters; see docs/etl.md, "Failpoints".</summary>
public static class Failpoint
{
    /// <summary>The script is about to run on a change.</summary>
    public const string Script = "etl/script";

    /// <summary>A batch is read, its read transaction ended.</summary>
    public const string Read = "etl/read";

    /// <summary>The dead letters of scripts are durable.</summary>
    public const string ScriptDeadLetters = "etl/script-dead-letters";

    /// <summary>A delivery is about to begin.</summary>
    public const string Sending = "etl/sending";

    /// <summary>A delivery is on its way, and the next batch is made if there is more.</summary>
    public const string OnItsWay = "etl/on-its-way";

    /// <summary>The sink returned from a delivery.</summary>
    public const string Sent = "etl/sent";

    /// <summary>The dead letters of the sink are durable.</summary>
    public const string DeadLetters = "etl/dead-letters";

    /// <summary>A position is about to be stored.</summary>
    public const string Position = "etl/position";

    /// <summary>A position is durable.</summary>
    public const string PositionStored = "etl/position-stored";

    /// <summary>The sink has retried messages, their dead letters are not removed yet.</summary>
    public const string RetrySent = "etl/retry-sent";

    /// <summary>The dead letters of retried messages are removed.</summary>
    public const string RetryRemoved = "etl/retry-removed";

    /// <summary>The sink has confirmed documents that are deleted when sent; they are not deleted yet.</summary>
    public const string DeletingProcessed = "etl/deleting-processed";

    /// <summary>Those documents are deleted, the position does not know of them yet.</summary>
    public const string ProcessedDeleted = "etl/processed-deleted";

    /// <summary>Kafka: everything of a transaction is with the broker, the position too; it is not committed.</summary>
    public const string KafkaProduced = "etl/kafka-produced";

    /// <summary>Kafka: the transaction is committed, and nobody else knows yet.</summary>
    public const string KafkaCommitted = "etl/kafka-committed";

    /// <summary>Kafka: a server that opens a task has noted that it is about to become its owner, and has not told Kafka.</summary>
    public const string KafkaClaiming = "etl/kafka-claiming";

    /// <summary>Those of a Kafka sink.</summary>
    public static IReadOnlyList<string> OfKafka { get; } = [KafkaProduced, KafkaCommitted, KafkaClaiming];

    /// <summary>Those of every task, whatever its sink.</summary>
    public static IReadOnlyList<string> All { get; } =
    [Script, Read, ScriptDeadLetters, Sending, OnItsWay, Sent, DeadLetters, Position, PositionStored];

    /// <summary>Those of retries, and of tasks that delete what they have sent.</summary>
    public static IReadOnlyList<string> Occasional { get; } = [RetrySent, RetryRemoved, DeletingProcessed, ProcessedDeleted];
}
