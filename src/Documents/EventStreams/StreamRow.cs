using System.Buffers.Binary;
using Jackdaw.Storage;

namespace Jackdaw.Documents.EventStreams;

/// <summary>What a stream's row says, without its id. Layout: docs/event-streams.md, "Stream row".</summary>
internal struct StreamRow
{
    public const int HeaderBytes = 72;
    public const byte Version = 1;

    private ReplacedWriters _replaced;

    public int Writer { get; private set; }

    public long Highest { get; set; }

    public long DeletedUpTo { get; set; }

    public long EventRows { get; set; }

    public int ReplacedCount { get; private set; }

    /// <summary>The name number of a replaced writer, the newest first.</summary>
    public readonly int Replaced(int i) => _replaced[i];

    public static ReadOnlySpan<byte> IdOf(ReadOnlySpan<byte> row) => row[HeaderBytes..];

    public static StreamRow Read(ReadOnlySpan<byte> row)
    {
        Invariant.Require(row.Length > HeaderBytes && row[0] == Version && row[1] <= Limits.KeptReplacedWriters);
        var read = new StreamRow
        {
            ReplacedCount = row[1],
            Writer = BinaryPrimitives.ReadInt32LittleEndian(row[4..]),
            Highest = BinaryPrimitives.ReadInt64LittleEndian(row[8..]),
            DeletedUpTo = BinaryPrimitives.ReadInt64LittleEndian(row[16..]),
            EventRows = BinaryPrimitives.ReadInt64LittleEndian(row[24..]),
        };
        for (int i = 0; i < read.ReplacedCount; i++)
            read._replaced[i] = BinaryPrimitives.ReadInt32LittleEndian(row[(32 + (i * sizeof(int)))..]);
        return read;
    }

    /// <summary>Fills <see cref="HeaderBytes"/> and the id.</summary>
    public readonly void Write(ReadOnlySpan<byte> id, Span<byte> row)
    {
        Invariant.Require(row.Length == HeaderBytes + id.Length && !id.IsEmpty);
        row[..HeaderBytes].Clear();
        row[0] = Version;
        row[1] = (byte)ReplacedCount;
        BinaryPrimitives.WriteInt32LittleEndian(row[4..], Writer);
        BinaryPrimitives.WriteInt64LittleEndian(row[8..], Highest);
        BinaryPrimitives.WriteInt64LittleEndian(row[16..], DeletedUpTo);
        BinaryPrimitives.WriteInt64LittleEndian(row[24..], EventRows);
        for (int i = 0; i < ReplacedCount; i++)
            BinaryPrimitives.WriteInt32LittleEndian(row[(32 + (i * sizeof(int)))..], _replaced[i]);
        id.CopyTo(row[HeaderBytes..]);
    }

    /// <summary>Was the writer replaced, as far as is remembered?</summary>
    public readonly bool IsReplaced(int writer)
    {
        for (int i = 0; i < ReplacedCount; i++)
        {
            if (_replaced[i] == writer)
                return true;
        }
        return false;
    }

    /// <summary>Makes another writer the current one; the former is remembered as replaced.</summary>
    public void SetWriter(int writer)
    {
        Invariant.Require(writer != 0 && writer != Writer);
        Span<int> kept = stackalloc int[Limits.KeptReplacedWriters + 1];
        int count = 0;
        if (Writer != 0)
            kept[count++] = Writer;
        for (int i = 0; i < ReplacedCount; i++)
        {
            if (_replaced[i] != writer)
                kept[count++] = _replaced[i];
        }
        ReplacedCount = Math.Min(count, Limits.KeptReplacedWriters);
        for (int i = 0; i < ReplacedCount; i++)
            _replaced[i] = kept[i];
        Writer = writer;
    }

    /// <summary>Changes each name number to the one that a text was stored under.</summary>
    public void RenumberWriters(NameNumbers names)
    {
        Writer = names.Stored(Writer);
        for (int i = 0; i < ReplacedCount; i++)
            _replaced[i] = names.Stored(_replaced[i]);
    }

    [System.Runtime.CompilerServices.InlineArray(Limits.KeptReplacedWriters)]
    private struct ReplacedWriters
    {
        private int _first;
    }
}
