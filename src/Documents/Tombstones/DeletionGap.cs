using System.Buffers.Binary;
using System.Text;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Tombstones;

/// <summary>Deletions of documents that were forgotten before a consumer had seen them, and deleted events that were removed before it had
/// read them. Layout: docs/documents-format.md, "tasks".</summary>
/// <param name="Consumer">In lower case.</param>
/// <param name="FromEtag">They lie above it.</param>
/// <param name="ToEtag">And at or below it.</param>
/// <param name="Deletions">How many deletions of documents.</param>
/// <param name="AtTicks">When the last of them was forgotten: UTC ticks.</param>
public sealed record DeletionGap(string Consumer, long FromEtag, long ToEtag, long Deletions, long AtTicks)
{
    /// <summary>Every key of a gap begins with it.</summary>
    public const string KeyPrefix = "gap/";

    private const int Bytes = 48;
    private const int BytesOfVersion1 = 40;
    private const byte Version = 2;

    /// <summary>How many deleted events were removed, each with its deletion.</summary>
    public long Events { get; init; }

    /// <summary>Where it lies among the values of rooms.</summary>
    public static string Key(string consumer)
    {
        ArgumentNullException.ThrowIfNull(consumer);
        return KeyPrefix + consumer.ToLowerInvariant();
    }

    /// <summary>Reads what lies under a key.</summary>
    public static DeletionGap Read(string key, ReadOnlySpan<byte> value)
    {
        ArgumentNullException.ThrowIfNull(key);
        Invariant.Require(key.StartsWith(KeyPrefix, StringComparison.Ordinal) && value.Length >= BytesOfVersion1);
        bool knowsEvents = value[0] == Version;
        Invariant.Require(knowsEvents ? value.Length == Bytes : value[0] == 1 && value.Length == BytesOfVersion1);
        return new DeletionGap(
            key[KeyPrefix.Length..],
            BinaryPrimitives.ReadInt64LittleEndian(value[8..]),
            BinaryPrimitives.ReadInt64LittleEndian(value[16..]),
            BinaryPrimitives.ReadInt64LittleEndian(value[24..]),
            BinaryPrimitives.ReadInt64LittleEndian(value[32..])
        )
        {
            Events = knowsEvents ? BinaryPrimitives.ReadInt64LittleEndian(value[40..]) : 0,
        };
    }

    internal byte[] ToBytes()
    {
        byte[] value = new byte[Bytes];
        value[0] = Version;
        BinaryPrimitives.WriteInt64LittleEndian(value.AsSpan(8), FromEtag);
        BinaryPrimitives.WriteInt64LittleEndian(value.AsSpan(16), ToEtag);
        BinaryPrimitives.WriteInt64LittleEndian(value.AsSpan(24), Deletions);
        BinaryPrimitives.WriteInt64LittleEndian(value.AsSpan(32), AtTicks);
        BinaryPrimitives.WriteInt64LittleEndian(value.AsSpan(40), Events);
        return value;
    }

    /// <summary>Both together.</summary>
    internal DeletionGap With(DeletionGap later) =>
        this with
        {
            FromEtag = Math.Min(FromEtag, later.FromEtag),
            ToEtag = Math.Max(ToEtag, later.ToEtag),
            Deletions = Deletions + later.Deletions,
            Events = Events + later.Events,
            AtTicks = later.AtTicks,
        };

    internal static byte[] KeyBytes(string consumer) => Encoding.UTF8.GetBytes(Key(consumer));
}
