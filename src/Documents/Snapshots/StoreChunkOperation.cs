using Jackdaw.Documents.Rooms;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Snapshots;

/// <summary>Stores the next chunk of an upload. Nothing of it is visible until a <see cref="StoreSnapshotOperation"/> has ended.</summary>
public sealed class StoreChunkOperation : RoomOperation
{
    private readonly PendingUpload _upload;
    private readonly ReadOnlyMemory<byte> _bytes;
    private readonly long _offset;

    /// <summary>Creates the operation.</summary>
    /// <param name="upload">The upload.</param>
    /// <param name="bytes">1 to <see cref="Limits.SnapshotChunkBytes"/> bytes.</param>
    public StoreChunkOperation(PendingUpload upload, ReadOnlyMemory<byte> bytes)
        : base(SnapshotsRoom.Instance)
    {
        ArgumentNullException.ThrowIfNull(upload);
        Invariant.Require(bytes.Length is > 0 and <= Limits.SnapshotChunkBytes);
        _upload = upload;
        _bytes = bytes;
        _offset = upload.StoredBytes;
        IsBackground = true;
    }

    /// <inheritdoc/>
    public override long SizeBytes => _bytes.Length;

    /// <summary>The operation has ended well: counts the chunk.</summary>
    public void Count()
    {
        Invariant.Require(_upload.StoredBytes == _offset);
        _upload.StoredBytes += _bytes.Length;
    }

    /// <inheritdoc/>
    protected override void Execute(RoomWriter writer)
    {
        var trees = SnapshotTrees.ToChange(writer);
        if (_offset == 0)
        {
            _upload.Content = SnapshotNumbers.Next(writer);
            trees.PutLeftover(_upload.Content, new LeftoverRecord(IsUploading: true, _upload.Content, writer.NowTicks));
        }
        writer.ReachFaultPoint();
        trees.PutChunk(_upload.Content, _offset, _bytes.Span);
    }
}
