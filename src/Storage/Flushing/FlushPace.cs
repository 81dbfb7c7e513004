namespace Jackdaw.Storage.Flushing;

/// <summary>
/// Decides how long to rest between flush steps: as long as journal writes are slower than they usually are, flushing takes a smaller
/// share of the device. Written by the journal step and the flush thread, each its own fields; a torn read costs a wrong pause, no more.
/// </summary>
internal sealed class FlushPace
{
    /// <summary>Recent writes count 1/16, usual ones 1/1024.</summary>
    private const double RecentShare = 1.0 / 16,
        UsualShare = 1.0 / 1024;

    /// <summary>Slower than this many times the usual latency is a journal in trouble.</summary>
    private const double Tolerated = 1.5;

    private static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(50);

    private double _recentMs;
    private double _usualMs;
    private double _lastStepMs;

    public void Journaled(TimeSpan duration)
    {
        var ms = duration.TotalMilliseconds;
        _recentMs = _recentMs == 0 ? ms : _recentMs + (ms - _recentMs) * RecentShare;
        // The usual latency follows good news at once and bad news slowly, or a long flush would become the measure of itself.
        _usualMs = _usualMs == 0 || ms < _usualMs ? ms * 0.1 + _usualMs * 0.9 : _usualMs + (ms - _usualMs) * UsualShare;
    }

    public void Flushed(TimeSpan step) => _lastStepMs = step.TotalMilliseconds;

    public TimeSpan Pause
    {
        get
        {
            var slowdown = _usualMs == 0 ? 0 : _recentMs / _usualMs / Tolerated - 1;
            return slowdown <= 0
                ? TimeSpan.Zero
                : TimeSpan.FromMilliseconds(Math.Min(Longest.TotalMilliseconds, _lastStepMs * Math.Min(slowdown, 4)));
        }
    }
}
