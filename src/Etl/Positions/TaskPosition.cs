using System.Buffers.Binary;
using Jackdaw.Storage;

namespace Jackdaw.Etl.Positions;

/// <summary>How far a transform is. Layout: docs/documents-format.md, "tasks".</summary>
/// <param name="DatabaseId">The database whose etags are counted.</param>
/// <param name="Etag">Everything up to it is settled.</param>
/// <param name="IsOrdered">A person set it, or another sink came to it, and the sink that keeps positions itself has not been
/// told yet.</param>
/// <param name="IsForgotten">There is none: its transform was taken out of the task. A sink that keeps positions itself has not
/// been told.</param>
internal readonly record struct TaskPosition(Guid DatabaseId, long Etag, bool IsOrdered = false, bool IsForgotten = false)
{
    private const int Bytes = 32;
    private const byte Version = 1;
    private const byte Ordered = 1;
    private const byte NoMore = 2;

    /// <summary>Takes the place of a position whose transform was taken out of the task.</summary>
    public static TaskPosition Forgotten(Guid databaseId) => new(databaseId, 0, IsForgotten: true);

    public static string Key(long taskId, string transform) => $"{KeyPrefix(taskId)}{transform.ToLowerInvariant()}";

    /// <summary>Of all positions of a task.</summary>
    public static string KeyPrefix(long taskId) =>
        string.Create(System.Globalization.CultureInfo.InvariantCulture, $"etl/position/{taskId}/");

    /// <summary>Of what a sink that keeps the positions notes about who writes them.</summary>
    public static string OwnerKey(long taskId) => string.Create(System.Globalization.CultureInfo.InvariantCulture, $"etl/owner/{taskId}");

    public static TaskPosition Read(ReadOnlySpan<byte> value)
    {
        Invariant.Require(value.Length == Bytes && value[0] == Version);
        return new TaskPosition(
            new Guid(value.Slice(8, 16)),
            BinaryPrimitives.ReadInt64LittleEndian(value[24..]),
            value[1] == Ordered,
            value[1] == NoMore
        );
    }

    public byte[] ToBytes()
    {
        Invariant.Require(Etag >= 0);
        byte[] value = new byte[Bytes];
        value[0] = Version;
        value[1] =
            IsForgotten ? NoMore
            : IsOrdered ? Ordered
            : (byte)0;
        Invariant.Require(DatabaseId.TryWriteBytes(value.AsSpan(8)));
        BinaryPrimitives.WriteInt64LittleEndian(value.AsSpan(24), Etag);
        return value;
    }
}
