namespace Jackdaw.FunctionHost.Triggers;

/// <summary>How long to wait before the next look at a queue: longer with each one that was in vain, up to the longest, and never quite
/// the same.</summary>
internal sealed class PollingPause(TimeSpan longest)
{
    private const double Spread = 0.2;

    private readonly TimeSpan _longest = longest > HostLimits.FirstPollingInterval ? longest : HostLimits.FirstPollingInterval;
    private int _inVain;

    /// <summary>Returns the next pause.</summary>
    /// <param name="hadMessages">The last look was not in vain.</param>
    public TimeSpan Next(bool hadMessages)
    {
        if (hadMessages)
        {
            _inVain = 0;
            return TimeSpan.Zero;
        }
        var factor = Math.Pow(2, Math.Min(_inVain++, 20)) * (1 - Spread + (2 * Spread * Random.Shared.NextDouble()));
        var pause = HostLimits.FirstPollingInterval * factor;
        return pause < _longest ? pause : _longest;
    }
}
