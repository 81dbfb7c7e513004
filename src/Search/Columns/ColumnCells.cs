using System.Buffers.Binary;
using Jackdaw.Search.Dictionary;

namespace Jackdaw.Search.Columns;

/// <summary>Makes cells of terms.</summary>
internal static class ColumnCells
{
    /// <summary>What a cell with that term holds; the mark of existence is no value.</summary>
    public static ColumnKind KindOf(TermKind kind, ReadOnlySpan<byte> key) =>
        kind switch
        {
            TermKind.Number => ColumnKind.Number,
            TermKind.Text => ColumnKind.Text,
            _ => TextKey.MarkOf(key) switch
            {
                TermMark.Null => ColumnKind.Null,
                TermMark.EmptyArray => ColumnKind.EmptyArray,
                _ => ColumnKind.Missing,
            },
        };

    /// <summary>The cell of an entry whose smallest value is that term.</summary>
    public static ColumnCell Of(TermKind kind, ReadOnlySpan<byte> key, uint termNumber, bool hasSeveral)
    {
        var cell = new ColumnCell { Kind = KindOf(kind, key), Flags = hasSeveral ? ColumnCell.SeveralValuesFlag : (byte)0 };
        if (cell.Kind == ColumnKind.Number)
            (cell.Order, cell.Remainder) = NumberKey.Read(key);
        if (cell.Kind == ColumnKind.Text)
            (cell.Order, cell.TermNumber) = (OrderOf(TextKey.TermOf(key)), termNumber);
        return cell;
    }

    /// <summary>The first 8 bytes of a term, padded with zeros, as a number that compares as they do.</summary>
    public static ulong OrderOf(ReadOnlySpan<byte> term)
    {
        if (term.Length >= sizeof(ulong))
            return BinaryPrimitives.ReadUInt64BigEndian(term);
        ulong order = 0;
        for (int i = 0; i < term.Length; i++)
            order |= (ulong)term[i] << (56 - 8 * i);
        return order;
    }
}
