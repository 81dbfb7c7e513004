namespace Jackdaw.Etl.Running;

/// <summary>Growing pauses with jitter between attempts at a sink that fails.</summary>
internal sealed class Pauses(EtlLimits limits, Random random)
{
    private int _faults;

    public void Succeeded() => _faults = 0;

    /// <summary>The pause after one more fault: doubled each time, between half and all of it, and no shorter than the sink asked
    /// for, up to <see cref="EtlLimits.LongestAskedPause"/>.</summary>
    public TimeSpan Next(TimeSpan? askedFor)
    {
        double whole = Math.Min(
            limits.LongestPause.TotalMilliseconds,
            limits.FirstPause.TotalMilliseconds * Math.Pow(2, Math.Min(_faults, 30))
        );
        _faults++;
        var pause = TimeSpan.FromMilliseconds((whole / 2) + (random.NextDouble() * whole / 2));
        var least = askedFor < limits.LongestAskedPause ? askedFor.Value : limits.LongestAskedPause;
        return askedFor is not null && least > pause ? least : pause;
    }
}
