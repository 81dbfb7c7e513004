using Jackdaw.Documents.Rooms;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Snapshots;

/// <summary>The content of a snapshot that was replaced or deleted.</summary>
internal static class ReplacedContent
{
    /// <summary>Removes a small content, and leaves a record of a large one. Returns whether a record was left.</summary>
    public static bool Remove(in SnapshotTrees trees, in RoomWriter writer, SnapshotTraffic traffic, long content, long sizeBytes)
    {
        if (sizeBytes > traffic.PieceBytes)
        {
            if (writer.Planted == PlantedMergerFault.ReplacedContentForgotten)
                return false;
            trees.PutLeftover(content, new LeftoverRecord(IsUploading: false, SnapshotNumbers.Next(writer), writer.NowTicks));
            return true;
        }
        long removed = trees.RemoveChunks(content, long.MaxValue, out bool isEnd);
        Invariant.Require(isEnd && removed == sizeBytes, "a snapshot has the bytes that its row says");
        return false;
    }
}
