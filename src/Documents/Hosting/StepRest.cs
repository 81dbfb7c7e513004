namespace Jackdaw.Documents.Hosting;

/// <summary>What a lane tells the thread that has just run it.</summary>
internal readonly struct StepRest
{
    private StepRest(StepRestKind kind, TimeSpan time, bool mayBeSoon)
    {
        Kind = kind;
        Time = time;
        MayBeSoon = mayBeSoon;
    }

    /// <summary>There is more to do. Other lanes that wait for a thread come first.</summary>
    public static StepRest Again { get; } = new(StepRestKind.Again, TimeSpan.Zero, false);

    /// <summary>Nothing to do until somebody wakes the lane.</summary>
    public static StepRest Idle { get; } = new(StepRestKind.Rest, Timeout.InfiniteTimeSpan, false);

    /// <summary>As <see cref="Idle"/>; the next wake may come within microseconds, so the thread may spin for it.</summary>
    public static StepRest IdleForAMoment { get; } = new(StepRestKind.Rest, Timeout.InfiniteTimeSpan, true);

    /// <summary>The lane runs no more.</summary>
    public static StepRest Ended { get; } = new(StepRestKind.Ended, TimeSpan.Zero, false);

    public StepRestKind Kind { get; }

    /// <summary>How long the rest or the pause lasts at most.</summary>
    public TimeSpan Time { get; }

    /// <summary>Spinning for the next wake may pay.</summary>
    public bool MayBeSoon { get; }

    /// <summary>Nothing to do until somebody wakes the lane, or the time has passed.</summary>
    public static StepRest AtMost(TimeSpan time) => new(StepRestKind.Rest, time, false);

    /// <summary>The lane gives its thread back and runs again when the time has passed; nobody wakes it before.</summary>
    public static StepRest Pause(TimeSpan time) => new(StepRestKind.Pause, time, false);
}
