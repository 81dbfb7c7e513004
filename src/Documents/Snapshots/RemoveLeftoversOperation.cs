using Jackdaw.Documents.Rooms;

namespace Jackdaw.Documents.Snapshots;

/// <summary>
/// Removes contents that no snapshot has: of uploads that are not under way any more, and replaced ones that no download reads. A bounded
/// number of bytes in each execution.
/// </summary>
/// <param name="traffic">What must not be disturbed.</param>
internal sealed class RemoveLeftoversOperation(SnapshotTraffic traffic) : RoomOperation(SnapshotsRoom.Instance)
{
    private readonly HashSet<long> _uploads = [];

    public override long SizeBytes => 0;

    /// <summary>Set before submission: replaced contents whose record has a higher number stay, as that may not be durable yet.</summary>
    public long UpToNumber { get; set; }

    /// <summary>Set before submission: contents that were replaced before it go, whoever reads them. UTC ticks.</summary>
    public long AgedBeforeTicks { get; set; }

    /// <summary>Bytes of chunks that were removed. A result.</summary>
    public long RemovedBytes { get; private set; }

    /// <summary>Contents that are gone. A result.</summary>
    public int RemovedContents { get; private set; }

    /// <summary>The bound ended the work. A result.</summary>
    public bool HasMore { get; private set; }

    /// <summary>Contents that wait: for their upload, for a download, or for the next execution. A result.</summary>
    public long Left { get; private set; }

    protected override void Execute(RoomWriter writer)
    {
        RemovedBytes = RemovedContents = 0;
        HasMore = false;
        Left = 0;
        if (SnapshotTrees.ToLook(writer) is not { Leftovers.EntryCount: > 0 } look)
            return;
        traffic.CopyUploads(_uploads);
        if (writer.Planted == PlantedMergerFault.UploadSweptAway)
            _uploads.Clear();
        long aged = writer.Planted == PlantedMergerFault.HeldContentRemoved ? long.MaxValue : AgedBeforeTicks;
        long from = 0;
        while (TryFind(look, from, aged, out long content))
        {
            if (RemovedBytes >= traffic.CleaningBytes || RemovedContents >= Limits.SnapshotsPerDeletion)
            {
                HasMore = true;
                break;
            }
            var trees = SnapshotTrees.ToChange(writer);
            RemovedBytes += trees.RemoveChunks(content, traffic.CleaningBytes - RemovedBytes, out bool isEnd);
            writer.ReachFaultPoint();
            if (isEnd)
            {
                trees.DeleteLeftover(content);
                RemovedContents++;
                from = content + 1;
            }
            else
            {
                from = content;
            }
        }
        Left = look.Leftovers.EntryCount;
    }

    /// <summary>Finds the first content that can go.</summary>
    private bool TryFind(in SnapshotTrees trees, long from, long agedBefore, out long content)
    {
        Span<byte> key = stackalloc byte[SnapshotsRoom.ContentKeyBytes];
        SnapshotsRoom.WriteContentKey(from, key);
        using var cursor = trees.Leftovers.OpenCursor();
        for (bool found = cursor.Seek(key); found; found = cursor.MoveNext())
        {
            content = SnapshotsRoom.ReadContentKey(cursor.Key);
            if (Goes(content, LeftoverRecord.Read(cursor.Value), agedBefore))
                return true;
        }
        content = 0;
        return false;
    }

    private bool Goes(long content, in LeftoverRecord record, long agedBefore)
    {
        if (record.IsUploading)
            return !_uploads.Contains(content);
        return record.Number <= UpToNumber && (record.Ticks < agedBefore || !traffic.IsHeld(content, record.Number));
    }
}
