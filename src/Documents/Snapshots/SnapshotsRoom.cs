using System.Buffers.Binary;
using Jackdaw.Documents.Rooms;

namespace Jackdaw.Documents.Snapshots;

/// <summary>The room of snapshots: its trees. Layouts: docs/snapshots.md, "On disk".</summary>
public sealed class SnapshotsRoom : Room
{
    internal const string RowsTree = "snapshots/rows";
    internal const string ChunksTree = "snapshots/chunks";
    internal const string LeftoversTree = "snapshots/leftovers";

    internal const int ContentKeyBytes = 8;
    internal const int ChunkKeyBytes = 16;

    private SnapshotsRoom()
        : base("snapshots") { }

    /// <summary>The only one.</summary>
    public static SnapshotsRoom Instance { get; } = new();

    /// <inheritdoc/>
    public override IReadOnlyList<string> Trees { get; } = [RowsTree, ChunksTree, LeftoversTree];

    /// <inheritdoc/>
    protected internal override void Check(RoomReader reader, Action<string> report) => SnapshotsCheck.Run(reader, report);

    internal static void WriteContentKey(long content, Span<byte> destination) =>
        BinaryPrimitives.WriteInt64BigEndian(destination, content);

    internal static long ReadContentKey(ReadOnlySpan<byte> key) => BinaryPrimitives.ReadInt64BigEndian(key);

    internal static void WriteChunkKey(long content, long offset, Span<byte> destination)
    {
        BinaryPrimitives.WriteInt64BigEndian(destination, content);
        BinaryPrimitives.WriteInt64BigEndian(destination[8..], offset);
    }

    internal static long ReadChunkOffset(ReadOnlySpan<byte> chunkKey) => BinaryPrimitives.ReadInt64BigEndian(chunkKey[8..]);
}
