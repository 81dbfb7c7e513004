using System.Buffers.Binary;
using Jackdaw.Search.Batches;
using Jackdaw.Search.Dictionary;
using Jackdaw.Storage;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Search.Entries;

/// <summary>Makes the record of a pending entry, once the numbers of its terms are known.</summary>
internal sealed class EntryRecordWriter(BatchContent content, NativeArena arena) : IDisposable
{
    private readonly NativeList<byte> _bytes = new(arena);

    /// <summary>Texts: number and frequency. Readable until the next field.</summary>
    private readonly NativeList<ulong> _texts = new(arena);
    private readonly NativeList<int> _numbers = new(arena);

    /// <summary>Returns the record, readable until the next call.</summary>
    public ReadOnlySpan<byte> Write(in PendingEntry entry, ReadOnlySpan<byte> sourceKey)
    {
        _bytes.Truncate(0);
        _bytes.Add(EntryRecord.Version);
        _bytes.AddVarInt((ulong)sourceKey.Length);
        _bytes.AddRange(sourceKey);
        _bytes.AddVarInt((ulong)entry.StoredBytes);
        if (entry.StoredBytes > 0)
            _bytes.AddRange(content.Bytes.Slice(entry.StoredAt, entry.StoredBytes));
        _bytes.AddVarInt((ulong)entry.Fields);
        int lastField = 0;
        foreach (ref readonly var field in content.EntryFields.Slice(entry.FirstField, entry.Fields))
        {
            _bytes.AddVarInt((ulong)(field.Field - lastField));
            lastField = field.Field;
            WriteField(field);
        }
        return _bytes.Span;
    }

    public void Empty(long keptBytes)
    {
        _bytes.Empty(keptBytes);
        _texts.Empty(keptBytes);
        _numbers.Empty(keptBytes);
    }

    public void Dispose()
    {
        _bytes.Dispose();
        _texts.Dispose();
        _numbers.Dispose();
    }

    private void WriteField(in PendingField field)
    {
        _texts.Truncate(0);
        _numbers.Truncate(0);
        uint marks = 0;
        foreach (ref readonly var posting in content.Postings.Slice(field.FirstPosting, field.Postings))
        {
            ref var term = ref content.Terms[posting.Term];
            switch (term.Kind)
            {
                case TermKind.Text:
                    Invariant.Require(term.Number != 0, "the number of a term is not known");
                    _texts.Add(((ulong)term.Number << 32) | posting.Frequency);
                    break;
                case TermKind.Number:
                    _numbers.Add(posting.Term);
                    break;
                default:
                    marks |= 1u << (int)TextKey.MarkOf(content.Terms.KeyOf(posting.Term));
                    break;
            }
        }
        _bytes.AddVarInt(((ulong)(field.Postings - 1) << 1) | (field.Hash != 0 ? 1u : 0));
        if (field.Hash != 0)
            BinaryPrimitives.WriteUInt64LittleEndian(_bytes.AddMany(sizeof(ulong)), field.Hash);
        WriteTexts();
        WriteNumbers();
        for (var mark = TermMark.Null; mark < TermMark.Exists; mark++)
        {
            if ((marks & (1u << (int)mark)) != 0)
                _bytes.AddVarInt(((ulong)mark << EntryRecord.TagBits) | (ulong)TermKind.Mark);
        }
    }

    private void WriteTexts()
    {
        var texts = _texts.Span;
        if (texts.Length > 1)
            texts.Sort();
        uint last = 0;
        foreach (ulong text in texts)
        {
            uint number = (uint)(text >> 32);
            uint frequency = (uint)text;
            _bytes.AddVarInt(
                ((ulong)(number - last) << EntryRecord.TagBits) | (frequency == 1 ? EntryRecord.OnceFlag : 0u) | (ulong)TermKind.Text
            );
            if (frequency != 1)
                _bytes.AddVarInt(frequency);
            last = number;
        }
    }

    private void WriteNumbers()
    {
        var numbers = _numbers.Span;
        if (numbers.Length > 1)
            numbers.Sort((a, b) => content.Terms.KeyOf(a).SequenceCompareTo(content.Terms.KeyOf(b)));
        foreach (int number in numbers)
        {
            var key = content.Terms.KeyOf(number);
            _bytes.AddVarInt(((ulong)key.Length << EntryRecord.TagBits) | (ulong)TermKind.Number);
            _bytes.AddRange(key);
        }
    }
}
