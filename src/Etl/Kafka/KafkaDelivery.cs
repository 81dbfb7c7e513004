namespace Jackdaw.Etl.Kafka;

/// <summary>What a task to Kafka promises. Names are those of the task's member <c>Delivery</c>.</summary>
internal enum KafkaDelivery
{
    /// <summary>No gap and no duplicate for consumers that read committed messages only: positions are kept in Kafka.</summary>
    Transactional,

    /// <summary>For brokers without transactions: no gap; duplicates only after a crash or a lost connection. Positions are kept
    /// in the database.</summary>
    AtLeastOnce,
}
