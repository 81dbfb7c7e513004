using System.Buffers.Binary;
using Jackdaw.Storage;

namespace Jackdaw.Documents.EventStreams;

/// <summary>
/// A deletion of events whose rows are still on disk. Each event that it deletes has an etag of its own in it, from
/// <see cref="FirstEtag"/> to the record's key. Layout: docs/event-streams.md, "Deletion record".
/// </summary>
internal readonly record struct DeletionRecord(long StreamNumber, long From, long To, long Ticks, long FirstEtag)
{
    public const int Bytes = 48;
    public const byte Version = 2;

    /// <summary>A span of numbers up to this one has an etag for each number, whether there is an event or not.</summary>
    private const long MaxSpanByNumber = 1 << 20;

    /// <summary>Etags that a deletion takes: one for each number, or where numbers lie far apart one for each row of the stream.</summary>
    public static long EtagsFor(long from, long to, long rows)
    {
        Invariant.Require(from > 0 && from <= to && rows > 0);
        long span = to - from + 1;
        return span <= MaxSpanByNumber || span / 4 <= rows ? span : rows;
    }

    /// <summary>The etag of a deleted event follows from its number; otherwise from how many of the range lie above it.</summary>
    /// <param name="lastEtag">The record's key.</param>
    public bool IsByNumber(long lastEtag) => lastEtag - FirstEtag == To - From;

    public static bool IsWellFormed(ReadOnlySpan<byte> value) => value.Length == Bytes && value[0] == Version;

    public static DeletionRecord Read(ReadOnlySpan<byte> value)
    {
        Invariant.Require(IsWellFormed(value));
        return new DeletionRecord(
            BinaryPrimitives.ReadInt64LittleEndian(value[8..]),
            BinaryPrimitives.ReadInt64LittleEndian(value[16..]),
            BinaryPrimitives.ReadInt64LittleEndian(value[24..]),
            BinaryPrimitives.ReadInt64LittleEndian(value[32..]),
            BinaryPrimitives.ReadInt64LittleEndian(value[40..])
        );
    }

    public void Write(Span<byte> value)
    {
        value[..8].Clear();
        value[0] = Version;
        BinaryPrimitives.WriteInt64LittleEndian(value[8..], StreamNumber);
        BinaryPrimitives.WriteInt64LittleEndian(value[16..], From);
        BinaryPrimitives.WriteInt64LittleEndian(value[24..], To);
        BinaryPrimitives.WriteInt64LittleEndian(value[32..], Ticks);
        BinaryPrimitives.WriteInt64LittleEndian(value[40..], FirstEtag);
    }
}
