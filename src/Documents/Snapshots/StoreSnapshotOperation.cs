using Jackdaw.Documents.Rooms;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Snapshots;

/// <summary>Makes a snapshot visible, in place of one with the same stream and number: the chunks of its upload, and the rest of its
/// bytes.</summary>
public sealed class StoreSnapshotOperation : RoomOperation
{
    private readonly NewSnapshot _snapshot;
    private readonly PendingUpload _upload;
    private readonly ReadOnlyMemory<byte> _rest;

    /// <summary>Creates the operation.</summary>
    /// <param name="snapshot">What it is.</param>
    /// <param name="upload">Its upload.</param>
    /// <param name="rest">The bytes after the upload's chunks, 0 to <see cref="Limits.SnapshotChunkBytes"/>.</param>
    public StoreSnapshotOperation(NewSnapshot snapshot, PendingUpload upload, ReadOnlyMemory<byte> rest)
        : base(SnapshotsRoom.Instance)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        ArgumentNullException.ThrowIfNull(upload);
        Invariant.Require(rest.Length <= Limits.SnapshotChunkBytes);
        _snapshot = snapshot;
        _upload = upload;
        _rest = rest;
        IsBackground = upload.StoredBytes + rest.Length > Limits.SnapshotSharedChunkBytes;
    }

    /// <inheritdoc/>
    public override long SizeBytes => _rest.Length + _snapshot.Stream.Length + _snapshot.Manifest.Length;

    /// <summary>The stored ticks. A result.</summary>
    public long Ticks { get; private set; }

    /// <summary>It has replaced a content that is to be removed: tell <see cref="SnapshotTraffic.NoteLeftover"/>. A result.</summary>
    public bool LeavesContent { get; private set; }

    /// <inheritdoc/>
    protected override void Execute(RoomWriter writer)
    {
        LeavesContent = false;
        Ticks = _snapshot.Ticks ?? writer.NowTicks;
        var trees = SnapshotTrees.ToChange(writer);
        bool hasChunks = _upload.StoredBytes > 0;
        long content = hasChunks ? _upload.Content : SnapshotNumbers.Next(writer);
        if (hasChunks && writer.Planted != PlantedMergerFault.LeftoverRecordStays)
            Invariant.Require(trees.DeleteLeftover(content), "an upload under way has a leftover record");
        if (!_rest.IsEmpty)
            trees.PutChunk(content, _upload.StoredBytes, _rest.Span);
        writer.ReachFaultPoint();
        LeavesContent = PutRow(trees, writer, content);
    }

    /// <summary>Returns whether the former snapshot's content is left to be removed.</summary>
    private bool PutRow(in SnapshotTrees trees, in RoomWriter writer, long content)
    {
        var row = new SnapshotRow
        {
            Serializer = _snapshot.Serializer,
            Ticks = Ticks,
            SizeBytes = _upload.StoredBytes + _rest.Length,
            Content = content,
            Manifest = _snapshot.Manifest,
        };
        var key = SnapshotKey.Write(_snapshot.Stream, _snapshot.Number, stackalloc byte[SnapshotKey.MaxBytes]);
        (long Content, long SizeBytes)? replaced = null;
        if (trees.Rows.TryGet(key, out var stored))
            replaced = (new SnapshotRow(stored).Content, new SnapshotRow(stored).SizeBytes);
        row.Write(trees.Rows.Reserve(key, SnapshotRow.HeaderBytes + _snapshot.Manifest.Length, out _));
        return replaced is { } former && ReplacedContent.Remove(trees, writer, _upload.Traffic, former.Content, former.SizeBytes);
    }
}
