using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl.Running;

/// <summary>How fast the task may send.</summary>
internal sealed partial class EtlTask
{
    private readonly RateLimits _rate;
    private RateLimit _rateLimit;
    private bool _isHeldBack;

    /// <summary>Another one from now on.</summary>
    public void SetRateLimit(RateLimit limit) =>
        Command(() =>
        {
            _rateLimit = limit;
            _rate.Set(limit);
        });

    /// <summary>How long nothing may be sent, and so nothing is read; zero when something may.</summary>
    private TimeSpan HoldBack()
    {
        var wait = _rate.Wait();
        if (wait > TimeSpan.Zero)
        {
            _isHeldBack = true;
            Enter(EtlTaskState.Running, $"Held back by its limit of {_rateLimit}.");
        }
        else if (_isHeldBack)
        {
            _isHeldBack = false;
            Enter(EtlTaskState.Running, null);
        }
        return wait;
    }
}
