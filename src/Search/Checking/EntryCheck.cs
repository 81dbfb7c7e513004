using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Jackdaw.Search.Columns;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Entries;
using Jackdaw.Storage;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Checking;

/// <summary>Checks one entry's record after the other with its cells and lengths, and adds its references up.</summary>
internal sealed class EntryCheck(PageTransaction transaction, IReadOnlyDictionary<ushort, FieldTally> fields, CheckFindings findings)
{
    private readonly byte[] _smallestText = new byte[TextKey.MaxBytes];
    private readonly byte[] _lastNumber = new byte[NumberKey.MaxBytes];

    /// <summary>Returns whether the entry has a source. Entries come in ascending order.</summary>
    public bool Run(long id, ReadOnlySpan<byte> bytes)
    {
        var record = new EntryRecord(bytes);
        int before = -1;
        while (record.NextField())
        {
            if (record.Field <= before || !fields.TryGetValue(record.Field, out var field))
            {
                findings.Add($"entry {id} has the field {record.Field} behind {before}, or it is none");
                return record.SourceKey.Length > 0;
            }
            before = record.Field;
            CheckField(id, field, ref record);
        }
        if (!record.IsAtEnd)
            findings.Add($"entry {id} has bytes behind its record");
        return record.SourceKey.Length > 0;
    }

    private void CheckField(long id, FieldTally field, ref EntryRecord record)
    {
        var options = field.Known.Options;
        int terms = record.Terms;
        field.Entries++;
        field.EntriesWithSeveral += terms > 1 ? 1 : 0;
        field.OfEntries.Add(TermIdentity.OfMark(TermMark.Exists), id, 1);
        if ((record.PositionsHash != 0) != (options.KeepsPositions && HasTexts(record)))
            findings.Add($"entry {id}, field '{field.Known.Name}': a hash of positions where there are none, or none where there are");
        var cell = ReadTerms(id, field, ref record, out uint length);
        field.TotalLength += length;
        field.EntriesWithLength += length > 0 ? 1 : 0;
        if (options.KeepsFrequencies && new StoredLengths(transaction, field.Known).LengthOf(id) != length)
            findings.Add($"entry {id}, field '{field.Known.Name}': its length is {length}, another one is stored");
        if (!options.IsSortable)
            return;
        cell.Flags = terms > 1 ? ColumnCell.SeveralValuesFlag : (byte)0;
        field.EntriesWithCell += cell.Kind != ColumnKind.Missing ? 1 : 0;
        var stored = StoredCell(id, field);
        if (
            !MemoryMarshal
                .AsBytes(new ReadOnlySpan<ColumnCell>(in stored))
                .SequenceEqual(MemoryMarshal.AsBytes(new ReadOnlySpan<ColumnCell>(in cell)))
        )
            findings.Add($"entry {id}, field '{field.Known.Name}': its cell is not that of its smallest value");
    }

    /// <summary>Adds the terms up, and makes the cell that the entry should have.</summary>
    private ColumnCell ReadTerms(long id, FieldTally field, ref EntryRecord record, out uint length)
    {
        var smallest = new ColumnCell();
        int smallestText = 0;
        int lastNumber = 0;
        length = 0;
        while (record.NextTerm())
        {
            var cell = new ColumnCell();
            switch (record.Kind)
            {
                case TermKind.Text:
                    field.OfEntries.Add(TermIdentity.OfText(record.TermNumber), id, record.Frequency);
                    length += field.Known.Options.KeepsFrequencies ? record.Frequency : 0;
                    var key = KeyOf(field, record.TermNumber);
                    if (smallestText != 0 && key.SequenceCompareTo(_smallestText.AsSpan(0, smallestText)) >= 0)
                        continue;
                    key.CopyTo(_smallestText);
                    smallestText = key.Length;
                    cell = ColumnCells.Of(TermKind.Text, key, record.TermNumber, false);
                    break;
                case TermKind.Number:
                    field.OfEntries.Add(TermIdentity.OfNumber(record.NumberKey), id, 1);
                    if (record.NumberKey.SequenceCompareTo(_lastNumber.AsSpan(0, lastNumber)) <= 0)
                        findings.Add($"entry {id}, field '{field.Known.Name}': its numbers are out of order");
                    record.NumberKey.CopyTo(_lastNumber);
                    lastNumber = record.NumberKey.Length;
                    cell = ColumnCells.Of(TermKind.Number, record.NumberKey, 0, false);
                    break;
                default:
                    field.OfEntries.Add(TermIdentity.OfMark(record.Mark), id, 1);
                    cell = ColumnCells.Of(TermKind.Mark, TextKey.Of(record.Mark), 0, false);
                    break;
            }
            bool isFirst = smallest.Kind == ColumnKind.Missing;
            bool replaces =
                cell.Kind < smallest.Kind || cell.Kind == smallest.Kind && (cell.Kind == ColumnKind.Text || IsBefore(cell, smallest));
            if (isFirst || replaces)
                smallest = cell;
        }
        return smallest;
    }

    private static bool IsBefore(in ColumnCell cell, in ColumnCell other) =>
        cell.Order != other.Order ? cell.Order < other.Order : cell.Remainder < other.Remainder;

    private static bool HasTexts(EntryRecord copy) => copy.NextTerm() && copy.Kind == TermKind.Text;

    private ReadOnlySpan<byte> KeyOf(FieldTally field, uint number)
    {
        Span<byte> numberKey = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(numberKey, number);
        bool found = transaction.Catalog.OpenTree(field.Known.TermNamesName).TryGet(numberKey, out var key);
        Invariant.Require(found, "an entry refers to a term that its field does not have");
        return key;
    }

    private ColumnCell StoredCell(long id, FieldTally field)
    {
        long chunk = id / ColumnCell.InChunk;
        if (chunk != field.ColumnChunk)
        {
            Span<byte> key = stackalloc byte[sizeof(uint)];
            BinaryPrimitives.WriteUInt32BigEndian(key, checked((uint)chunk));
            if (transaction.Catalog.OpenTree(field.Known.ColumnName).TryGet(key, out var cells))
                cells.CopyTo(MemoryMarshal.AsBytes(field.Cells.AsSpan()));
            else
                field.Cells.AsSpan().Clear();
            field.ColumnChunk = chunk;
        }
        return field.Cells[id % ColumnCell.InChunk];
    }
}
