namespace Jackdaw.EventStreams.Client.Repeating;

/// <summary>How long a call may still be repeated.</summary>
internal readonly struct CallTime(TimeProvider clock, long began, TimeSpan repeatFor)
{
    public TimeProvider Clock => clock;

    public TimeSpan RepeatFor => repeatFor;

    /// <summary>At least zero.</summary>
    public TimeSpan Left
    {
        get
        {
            var left = repeatFor - clock.GetElapsedTime(began);
            return left > TimeSpan.Zero ? left : TimeSpan.Zero;
        }
    }

    public bool IsOver => Left == TimeSpan.Zero;

    /// <summary>The same allowance, from now on.</summary>
    public CallTime Renewed() => new(clock, clock.GetTimestamp(), repeatFor);
}
