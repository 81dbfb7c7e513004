using System.Buffers.Binary;
using Jackdaw.Storage;

namespace Jackdaw.Documents.EventStreams;

/// <summary>The digests of the last removed events of a stream. Layout: docs/event-streams.md, "Digests of removed events".</summary>
internal readonly ref struct EventDigests
{
    public const int EntryBytes = 24;
    public const int MaxBytes = EntryBytes * Limits.KeptEventDigests;

    private readonly ReadOnlySpan<byte> _entries;

    public EventDigests(ReadOnlySpan<byte> entries)
    {
        Invariant.Require(IsWellFormed(entries));
        _entries = entries;
    }

    public int Count => _entries.Length / EntryBytes;

    /// <summary>Older digests may have gone.</summary>
    public bool IsFull => Count == Limits.KeptEventDigests;

    public static bool IsWellFormed(ReadOnlySpan<byte> entries) => entries.Length % EntryBytes == 0 && entries.Length <= MaxBytes;

    public long Number(int i) => BinaryPrimitives.ReadInt64LittleEndian(_entries[(i * EntryBytes)..]);

    public long Ticks(int i) => BinaryPrimitives.ReadInt64LittleEndian(_entries[((i * EntryBytes) + 8)..]);

    public ReadOnlySpan<byte> Digest(int i) => _entries.Slice((i * EntryBytes) + 16, EventRow.DigestBytes);

    /// <summary>The entry of an event; -1 when there is none.</summary>
    public int Find(long number)
    {
        for (int i = Count - 1; i >= 0 && Number(i) >= number; i--)
        {
            if (Number(i) == number)
                return i;
        }
        return -1;
    }

    public static void WriteEntry(ReadOnlySpan<byte> row, Span<byte> entry)
    {
        var read = new EventRow(row);
        BinaryPrimitives.WriteInt64LittleEndian(entry, read.Number);
        BinaryPrimitives.WriteInt64LittleEndian(entry[8..], read.Ticks);
        EventRow.WriteDigest(row, entry[16..]);
    }
}
