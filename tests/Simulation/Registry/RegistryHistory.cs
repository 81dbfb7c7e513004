using Jackdaw.Indexing;
using Jackdaw.Indexing.Registry;
using Jackdaw.Simulation.Following;
using Jackdaw.Simulation.Histories;
using Jackdaw.Simulation.Merging;

namespace Jackdaw.Simulation.Registry;

/// <summary>
/// One seed's history of a database whose indexes come, are extended by others that are built beside them, are built again, and go: what a
/// merger history does, and beside it the registry with a folder for each index on the same disk. docs/simulation.md.
/// </summary>
public sealed class RegistryHistory : MergerHistory
{
    private readonly Dictionary<Guid, SimulatedIndex> _known = [];
    private readonly Dictionary<Guid, long> _swaps = [];
    private readonly int[] _weights;
    private int _sessions;

    internal override bool CallersRunTurns => false;

    internal RegistryHistory(ulong seed, PlantedIndexFault planted = PlantedIndexFault.None, TextWriter? trace = null)
        : base(seed, trace: trace)
    {
        Planted = planted;
        // Where indexes alone hold deletions back, they go as soon as these say so.
        if (Random.Next(3) > 0)
            Consumers = [];
        _weights = WeightedSteps.Draw(Random, 80, 20, 10, 6, 3, 8, 3, 120, 30, 4, 2, 6);
    }

    internal PlantedIndexFault Planted { get; }

    internal override IReadOnlyList<int> CompanionWeights => _weights;

    internal override ISessionCompanion Accompany(AccompaniedSession session) => new RegistrySession(this, session);

    /// <summary>What is known of an index outlives every crash.</summary>
    internal SimulatedIndex Known(IndexRecord record)
    {
        if (!_known.TryGetValue(record.InstanceId, out var index))
            _known.Add(record.InstanceId, index = new SimulatedIndex(this, Planted, record));
        index.LowerBound = record.LowerBound;
        return index;
    }

    /// <summary>An index that has caught up to a position is about to take the place of others.</summary>
    internal void NoteSwap(Guid index, long position) => _swaps[index] = position;

    /// <summary>The position with which an index was to take the place of others; 0: it has never been about to.</summary>
    internal long SwappedAt(Guid index) => _swaps.GetValueOrDefault(index);

    /// <summary>After the last session the database is opened once more, on a disk that does nothing wrong.</summary>
    private protected override bool RunSession()
    {
        base.RunSession();
        if (++_sessions == Settings.Sessions)
            RunLast();
        return true;
    }

    private void RunLast()
    {
        using var session = OpenSession();
        ((RegistrySession)session.Companion!).CompareAll();
    }
}
