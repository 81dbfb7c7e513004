using Jackdaw.Indexing;
using Jackdaw.Simulation.Histories;
using Jackdaw.Simulation.Merging;

namespace Jackdaw.Simulation.Following;

/// <summary>
/// One seed's history of a database with an index: what a merger history does, and beside it an index that follows the documents in a
/// lazily durable environment of its own on the same disk. docs/simulation.md.
/// </summary>
public sealed class IndexHistory : MergerHistory
{
    private readonly int[] _weights;
    private int _sessions;

    internal override bool CallersRunTurns => false;

    internal IndexHistory(ulong seed, PlantedIndexFault planted = PlantedIndexFault.None, TextWriter? trace = null)
        : base(seed, trace: trace)
    {
        Index = new SimulatedIndex(this, planted);
        FreshIndex = new SimulatedIndex(this, Index.Definition);
        // Where the index alone holds deletions back, they go as soon as it says so.
        if (Random.Next(3) > 0)
            Consumers = [];
        _weights = WeightedSteps.Draw(Random, 60, 24, 12, 8, 4, 8, 10, 2);
    }

    internal SimulatedIndex Index { get; }

    /// <summary>The same index without a planted mistake.</summary>
    internal SimulatedIndex FreshIndex { get; }

    internal override IReadOnlyList<int> CompanionWeights => _weights;

    internal override ISessionCompanion Accompany(AccompaniedSession session) => new IndexSession(this, Index, FreshIndex, session);

    /// <summary>After the last session the index is opened once more, on a disk that does nothing wrong.</summary>
    private protected override bool RunSession()
    {
        base.RunSession();
        if (++_sessions == Settings.Sessions)
            RunLast();
        return true;
    }

    private protected override void BeginSession(MergerSession session)
    {
        // What a crash has left, before anything is added to it.
        if (Random.Coin())
            ((IndexSession)session.Companion!).Try(((IndexSession)session.Companion!).CatchUpAndCompare);
    }

    private void RunLast()
    {
        using var session = OpenSession();
        var compared = Counts.IndexesCompared;
        var index = (IndexSession)session.Companion!;
        // What was rolled back, or could not be opened, before the faults ended is done again.
        for (var attempt = 0; attempt < 3 && Counts.IndexesCompared == compared; attempt++)
            index.Try(index.CatchUpAndCompare);
        OracleException.Require(Counts.IndexesCompared > compared, "the index does not catch up on a disk that does nothing wrong");
    }
}
