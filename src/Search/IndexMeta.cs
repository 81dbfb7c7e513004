using System.Buffers.Binary;
using System.Text;
using Jackdaw.Storage;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search;

/// <summary>What an index keeps of itself in the tree <c>meta</c>.</summary>
internal static class IndexMeta
{
    /// <summary>The version of the format.</summary>
    public const uint FormatVersion = 1;

    private const string StatePrefix = "state/";

    private static ReadOnlySpan<byte> VersionKey => "version"u8;

    private static ReadOnlySpan<byte> InstanceKey => "instance"u8;

    private static ReadOnlySpan<byte> EntriesKey => "entries"u8;

    /// <summary>Makes the index, unless it is there. That may be needed again: a lazily durable environment whose disk refuses the first
    /// journal write goes back to the state before.</summary>
    public static void CreateIfMissing(BTree meta, Guid instanceId)
    {
        if (meta.Contains(VersionKey))
            return;
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteUInt32LittleEndian(bytes, FormatVersion);
        meta.Put(VersionKey, bytes[..sizeof(uint)]);
        instanceId.TryWriteBytes(bytes);
        meta.Put(InstanceKey, bytes);
        WriteEntries(meta, 0, 0);
    }

    /// <summary>The id of the index. Errors: <see cref="SearchFormatException"/> for another version.</summary>
    public static Guid ReadInstance(BTree meta, string environment)
    {
        if (!meta.TryGet(VersionKey, out var version) || version.Length != sizeof(uint))
            throw new SearchFormatException($"The environment '{environment}' holds no index. Build the index again in an empty folder.");
        uint found = BinaryPrimitives.ReadUInt32LittleEndian(version);
        if (found != FormatVersion)
            throw new SearchFormatException(
                $"The index in '{environment}' has format version {found}; this server reads {FormatVersion}. Build the index again."
            );
        if (!meta.TryGet(InstanceKey, out var instance) || instance.Length != 16)
            throw new SearchFormatException($"The index in '{environment}' has no id. Build the index again.");
        return new Guid(instance);
    }

    /// <summary>Entries, and the highest id of an entry that was handed out; none where the making of the index was rolled back.</summary>
    public static (long Count, long HighestId) ReadEntries(BTree meta)
    {
        if (!meta.TryGet(EntriesKey, out var bytes) && !meta.Contains(VersionKey))
            return (0, 0);
        Invariant.Require(bytes.Length == 16, "the index does not say how many entries it has");
        return (BinaryPrimitives.ReadInt64LittleEndian(bytes), BinaryPrimitives.ReadInt64LittleEndian(bytes[8..]));
    }

    public static void WriteEntries(BTree meta, long count, long highestId)
    {
        Invariant.Require(count >= 0 && highestId >= count);
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, count);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[8..], highestId);
        meta.Put(EntriesKey, bytes);
    }

    public static byte[] StateKey(string name) => Encoding.UTF8.GetBytes(StatePrefix + name);
}
