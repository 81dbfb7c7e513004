namespace Jackdaw.Etl.Kafka;

/// <summary>How a CloudEvent becomes a Kafka message. Names are those of the task's member <c>CloudEventsMode</c>.</summary>
internal enum KafkaContentMode
{
    /// <summary>The value is the data; attributes are headers.</summary>
    Binary,

    /// <summary>The value is the whole event as JSON.</summary>
    Structured,
}
