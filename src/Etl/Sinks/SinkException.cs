namespace Jackdaw.Etl.Sinks;

/// <summary>A sink could not be opened or a delivery not be ended; says whose fault that is. Foreign errors are translated into
/// it where the facts are known.</summary>
internal sealed class SinkException : Exception
{
    public SinkException(SinkFault fault, string message, Exception? inner = null, TimeSpan? retryAfter = null)
        : base(message, inner)
    {
        Fault = fault;
        RetryAfter = retryAfter;
    }

    public SinkFault Fault { get; }

    /// <summary>
    /// What was sent and not answered is still on its way and will be: so nothing is sent again for the sake of the order. A sink
    /// for which that turns out to be wrong throws
    /// at the next delivery, without this.
    /// </summary>
    public bool IsAllOnItsWay { get; init; }

    /// <summary>Where the task is to go on is not known: an operator must set its position.</summary>
    public bool NeedsPosition { get; init; }

    /// <summary>The least pause that the sink asked for; null when it did not.</summary>
    public TimeSpan? RetryAfter { get; }
}
