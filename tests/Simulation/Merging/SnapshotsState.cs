using System.Collections.Immutable;
using Jackdaw.Documents;
using Jackdaw.Documents.Snapshots;

namespace Jackdaw.Simulation.Merging;

/// <summary>The snapshots of a database, and the contents that are left over. Immutable.</summary>
internal sealed record SnapshotsState
{
    /// <summary>A content of more bytes is removed later than its snapshot.</summary>
    public const int PieceBytes = 3000;

    /// <summary>After so many bytes a cleaning removes no further chunk.</summary>
    public const int CleaningBytes = 8000;

    public static readonly SnapshotsState Empty = new();

    /// <summary>By stream and number.</summary>
    public ImmutableSortedDictionary<(string Stream, long Number), SnapshotState> Rows { get; init; } =
        ImmutableSortedDictionary.Create<(string Stream, long Number), SnapshotState>(
            Comparer<(string Stream, long Number)>.Create(
                (a, b) => string.CompareOrdinal(a.Stream, b.Stream) is var order and not 0 ? order : a.Number.CompareTo(b.Number)
            )
        );

    /// <summary>By content.</summary>
    public ImmutableSortedDictionary<long, LeftoverState> Leftovers { get; init; } = ImmutableSortedDictionary<long, LeftoverState>.Empty;

    /// <summary>The last number of a content or a leftover record.</summary>
    public long LastNumber { get; init; }

    /// <summary>An upload begins, and takes a number for its content.</summary>
    public SnapshotsState BeginUpload(int chunkBytes, long ticks)
    {
        var content = LastNumber + 1;
        return this with
        {
            Leftovers = Leftovers.Add(content, new LeftoverState(true, content, ticks, [chunkBytes])),
            LastNumber = content,
        };
    }

    /// <summary>Another chunk of an upload.</summary>
    public SnapshotsState AddChunk(long content, int chunkBytes)
    {
        var upload = Leftovers[content];
        return this with { Leftovers = Leftovers.SetItem(content, upload with { Chunks = upload.Chunks.Add(chunkBytes) }) };
    }

    /// <summary>A snapshot becomes visible.</summary>
    /// <param name="stream">Its stream.</param>
    /// <param name="number">Its number.</param>
    /// <param name="snapshot">With the content of its upload, or 0, and no chunks.</param>
    /// <param name="restBytes">Bytes of the last chunk, or 0.</param>
    /// <param name="ticks">The time of the transaction.</param>
    public SnapshotsState Put(string stream, long number, SnapshotState snapshot, int restBytes, long ticks)
    {
        var chunks = snapshot.Content == 0 ? [] : Leftovers[snapshot.Content].Chunks;
        var visible = snapshot with
        {
            Content = snapshot.Content == 0 ? LastNumber + 1 : snapshot.Content,
            Chunks = restBytes == 0 ? chunks : chunks.Add(restBytes),
        };
        var after = this with { Leftovers = Leftovers.Remove(visible.Content), LastNumber = Math.Max(LastNumber, visible.Content) };
        if (Rows.TryGetValue((stream, number), out var former))
            after = after.Leave(former, ticks);
        return after with { Rows = Rows.SetItem((stream, number), visible) };
    }

    /// <summary>Snapshots of a stream are deleted.</summary>
    public SnapshotsState Delete(string stream, SnapshotCriteria criteria, long ticks, out int deleted)
    {
        var after = this;
        deleted = 0;
        foreach (var (number, snapshot) in Within(stream, criteria))
        {
            after = after.Leave(snapshot, ticks) with { Rows = after.Rows.Remove((stream, number)) };
            deleted++;
        }
        return after;
    }

    /// <summary>The snapshots of a stream within bounds, the lowest number first.</summary>
    public IEnumerable<(long Number, SnapshotState Snapshot)> Within(string stream, SnapshotCriteria criteria) =>
        Rows.Where(row =>
                row.Key.Stream == stream
                && row.Key.Number >= criteria.MinNumber
                && row.Key.Number <= criteria.MaxNumber
                && row.Value.Ticks >= criteria.MinTicks
                && row.Value.Ticks <= criteria.MaxTicks
            )
            .Select(row => (row.Key.Number, row.Value));

    /// <summary>Contents are removed.</summary>
    /// <param name="goes">Whether a content may go.</param>
    /// <param name="removedBytes">Of the removed chunks.</param>
    /// <param name="hasMore">The bound ended it.</param>
    public SnapshotsState Clean(Func<long, LeftoverState, bool> goes, out long removedBytes, out bool hasMore)
    {
        var after = Leftovers;
        removedBytes = 0;
        hasMore = false;
        foreach (var (content, leftover) in Leftovers.Where(leftover => goes(leftover.Key, leftover.Value)))
        {
            hasMore = removedBytes >= CleaningBytes;
            if (hasMore)
                break;
            var chunks = leftover.Chunks;
            while (removedBytes < CleaningBytes && chunks.Count > 0)
            {
                removedBytes += chunks[0];
                chunks = chunks.RemoveAt(0);
            }
            // That no chunk is left is seen by the next one, when the bound is reached just then.
            hasMore = removedBytes >= CleaningBytes;
            after = hasMore ? after.SetItem(content, leftover with { Chunks = chunks }) : after.Remove(content);
            if (hasMore)
                break;
        }
        return removedBytes == 0 && after.Count == Leftovers.Count ? this : this with { Leftovers = after };
    }

    private SnapshotsState Leave(SnapshotState former, long ticks) =>
        former.SizeBytes <= PieceBytes
            ? this
            : this with
            {
                Leftovers = Leftovers.Add(former.Content, new LeftoverState(false, LastNumber + 1, ticks, former.Chunks)),
                LastNumber = LastNumber + 1,
            };
}
