using System.Buffers.Binary;
using System.Text;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Positions;
using Jackdaw.Storage;

namespace Jackdaw.Etl.Orders;

/// <summary>A position that a person has set and the task has not taken yet. Layout: docs/documents-format.md, "tasks".</summary>
/// <param name="Transform">Its name in any casing; null: every one that is enabled.</param>
/// <param name="DatabaseId">The database in which it was ordered, whose etags are counted.</param>
/// <param name="Etag">Everything after it is to be sent.</param>
internal sealed record PositionOrder(string? Transform, Guid DatabaseId, long Etag)
{
    private const int HeaderBytes = 32;
    private const byte Version = 1;

    public static PositionOrder Read(ReadOnlySpan<byte> value)
    {
        Invariant.Require(value.Length >= HeaderBytes && value[0] == Version);
        string? transform = value[1] == 1 ? Encoding.UTF8.GetString(value[HeaderBytes..]) : null;
        return new PositionOrder(transform, new Guid(value.Slice(8, 16)), BinaryPrimitives.ReadInt64LittleEndian(value[24..]));
    }

    public byte[] ToBytes()
    {
        Invariant.Require(Etag >= 0);
        byte[] name = Transform is null ? [] : Encoding.UTF8.GetBytes(Transform);
        byte[] value = new byte[HeaderBytes + name.Length];
        value[0] = Version;
        value[1] = Transform is null ? (byte)0 : (byte)1;
        Invariant.Require(DatabaseId.TryWriteBytes(value.AsSpan(8)));
        BinaryPrimitives.WriteInt64LittleEndian(value.AsSpan(24), Etag);
        name.CopyTo(value, HeaderBytes);
        return value;
    }

    /// <summary>Is it for this transform?</summary>
    public bool Means(TransformConfiguration transform) =>
        Transform is null ? !transform.Disabled : Transform.Equals(transform.Name, StringComparison.OrdinalIgnoreCase);

    /// <summary>The position that a transform takes by it.</summary>
    /// <param name="isOrdered">See <see cref="TaskPosition.IsOrdered"/>.</param>
    public TaskPosition Position(bool isOrdered) => new(DatabaseId, Etag, isOrdered);
}
