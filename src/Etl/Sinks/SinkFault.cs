namespace Jackdaw.Etl.Sinks;

/// <summary>Whose fault it is that a delivery failed. Faults of messages are rejections (<see cref="Delivery.Reject"/>), not
/// exceptions.</summary>
internal enum SinkFault
{
    /// <summary>Waited out.</summary>
    Sink,

    /// <summary>A person must change something.</summary>
    Task,

    /// <summary>Another server has the task: a person must decide which of them it is.</summary>
    Fenced,
}
