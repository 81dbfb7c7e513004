using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Rooms;

namespace Jackdaw.Documents.Snapshots;

/// <summary>
/// Deletes the snapshots of a stream that are within bounds, a bounded number in each execution: submit it again while
/// <see cref="HasMore"/>.
/// </summary>
public sealed class DeleteSnapshotsOperation : RoomOperation
{
    private readonly byte[] _stream;
    private readonly SnapshotCriteria _criteria;
    private readonly SnapshotTraffic _traffic;
    private readonly List<(long Number, long Content, long SizeBytes)> _found = [];
    private long _from;
    private long? _next;

    /// <summary>Creates a deletion.</summary>
    /// <param name="traffic">Of the same database.</param>
    /// <param name="stream">The stream id, 1 to 1,000 bytes of UTF-8.</param>
    /// <param name="criteria">What is deleted.</param>
    /// <exception cref="InvalidSnapshotException">The stream id is empty or too long.</exception>
    public DeleteSnapshotsOperation(SnapshotTraffic traffic, ReadOnlySpan<byte> stream, in SnapshotCriteria criteria)
        : base(SnapshotsRoom.Instance)
    {
        ArgumentNullException.ThrowIfNull(traffic);
        NewSnapshot.RequireStream(stream);
        _traffic = traffic;
        _stream = stream.ToArray();
        _criteria = criteria;
        _from = criteria.MinNumber;
    }

    /// <inheritdoc/>
    public override long SizeBytes => _stream.Length;

    /// <summary>Snapshots that this execution has deleted. A result.</summary>
    public int Deleted => _found.Count;

    /// <summary>There may be more within the bounds. A result.</summary>
    public bool HasMore => _next is not null;

    /// <summary>Contents are left to be removed: tell <see cref="SnapshotTraffic.NoteLeftover"/>. A result.</summary>
    public bool LeavesContent { get; private set; }

    /// <summary>Goes on after the last snapshot that was looked at. The operation has ended well, and is submitted again.</summary>
    public void GoOn() => _from = _next!.Value;

    /// <inheritdoc/>
    protected override void Execute(RoomWriter writer)
    {
        _found.Clear();
        _next = null;
        LeavesContent = false;
        if (SnapshotTrees.ToLook(writer) is not { } look)
            return;
        Find(look);
        if (_found.Count == 0)
            return;
        var trees = SnapshotTrees.ToChange(writer);
        Span<byte> key = SnapshotKey.Write(_stream, 0, stackalloc byte[SnapshotKey.MaxBytes]);
        foreach (var (number, content, sizeBytes) in _found)
        {
            SnapshotKey.WriteNumber(number, key);
            trees.Rows.Delete(key);
            LeavesContent |= ReplacedContent.Remove(trees, writer, _traffic, content, sizeBytes);
            writer.ReachFaultPoint();
        }
    }

    private void Find(in SnapshotTrees trees)
    {
        var key = SnapshotKey.Write(_stream, _from, stackalloc byte[SnapshotKey.MaxBytes]);
        long removedAtOnce = 0;
        int looked = 0;
        using var cursor = trees.Rows.OpenCursor();
        for (bool found = cursor.Seek(key); found && SnapshotKey.IsSameStream(cursor.Key, key); found = cursor.MoveNext())
        {
            long number = SnapshotKey.Number(cursor.Key);
            if (number > _criteria.MaxNumber)
                return;
            if (looked++ == Limits.SnapshotsPerDeletion || removedAtOnce > Limits.SnapshotBytesPerCleaning)
            {
                _next = number;
                return;
            }
            var row = new SnapshotRow(cursor.Value);
            if (!_criteria.FitsTicks(row.Ticks))
                continue;
            _found.Add((number, row.Content, row.SizeBytes));
            removedAtOnce += row.SizeBytes <= _traffic.PieceBytes ? row.SizeBytes : 0;
        }
    }
}
