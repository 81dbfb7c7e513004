namespace Jackdaw.Etl.Running;

/// <summary>
/// A sink whose open connection costs something (threads, for Kafka) rests while the task has had nothing for it for a while, and
/// is opened again when there is something. The task itself goes on: it reads what is changed, and wakes the sink only to send.
/// </summary>
internal sealed partial class EtlTask
{
    /// <summary>The sink was closed because there was nothing for it, and not since opened.</summary>
    private bool _isAsleep;

    /// <summary>Timestamp of the clock when the sink was opened or used last.</summary>
    private long _usedAt;

    /// <summary>Where each transform goes on is known without the sink.</summary>
    private bool IsResting => _isAsleep && Array.TrueForAll(_isPlaced, static isPlaced => isPlaced);

    /// <summary>The task is idle. Closes the sink, or tells when that is due.</summary>
    private TimeSpan LetSinkRest()
    {
        if (!_isOpen || !_sink.CanRest)
            return Timeout.InfiniteTimeSpan;
        var left = _options.Limits.IdleSinkTime - _options.Clock.GetElapsedTime(_usedAt);
        if (left > TimeSpan.Zero)
            return left;
        _sink.Rest();
        _isOpen = false;
        _isAsleep = true;
        return Timeout.InfiniteTimeSpan;
    }
}
