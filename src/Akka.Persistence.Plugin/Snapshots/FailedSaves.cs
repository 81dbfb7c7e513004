using System.Collections.Concurrent;
using System.Collections.Immutable;
using System.Runtime.CompilerServices;

namespace Akka.Persistence.Jackdaw.Snapshots;

/// <summary>
/// Saves of snapshots that failed. Akka deletes the snapshot of a failed save by its number; the same number may have an older snapshot
/// that is good. So such a deletion is told from a user's, and concerns the times of the failed saves only.
/// </summary>
internal sealed class FailedSaves
{
    private readonly ConcurrentDictionary<(string Id, long Number), ImmutableList<long>> _ticks = new();
    private readonly ConditionalWeakTable<SnapshotMetadata, object> _deletions = [];

    /// <summary>A save failed, and may have been stored all the same.</summary>
    public void Add(SnapshotMetadata saved) =>
        _ticks.AddOrUpdate(
            (saved.PersistenceId, saved.SequenceNr),
            static (_, ticks) => [ticks],
            static (_, before, ticks) => before.Add(ticks),
            saved.Timestamp.Ticks
        );

    /// <summary>Akka is about to delete this object's snapshot because its save failed.</summary>
    public void ExpectDeletion(SnapshotMetadata failed) => _deletions.AddOrUpdate(failed, this);

    /// <summary>Whether this deletion follows a failed save; otherwise a user asks for it.</summary>
    public bool TakeDeletion(SnapshotMetadata metadata) => _deletions.Remove(metadata);

    /// <summary>The times of the failed saves of a number.</summary>
    public ImmutableList<long> Take(string id, long number) => _ticks.TryRemove((id, number), out var ticks) ? ticks : [];
}
