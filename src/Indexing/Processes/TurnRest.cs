namespace Jackdaw.Indexing.Processes;

/// <summary>What a turn of an index tells the thread that ran it.</summary>
/// <param name="Pause">Zero: there is more to do. Infinite: nothing until somebody wakes it. Else: not before this time has
/// passed.</param>
internal readonly record struct TurnRest(TimeSpan Pause)
{
    /// <summary>There is more to do; others that wait come first.</summary>
    public static TurnRest Again => new(TimeSpan.Zero);

    /// <summary>Nothing to do until somebody wakes it.</summary>
    public static TurnRest Rest => new(Timeout.InfiniteTimeSpan);
}
