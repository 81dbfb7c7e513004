using System.Buffers.Binary;
using Jackdaw.Search.Columns;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Matching;
using Jackdaw.Search.Queries;
using Jackdaw.Storage;

namespace Jackdaw.Search.Ordering;

/// <summary>
/// One key of an order: what an entry compares as. That is a cell as columns hold them; entries that have no value of the kind that is
/// compared have a cell without one.
/// </summary>
internal sealed class OrderKey
{
    /// <summary>In place of a term's number: the text is that of the place to resume behind.</summary>
    private const uint BoundTerm = uint.MaxValue;

    private const int CoarseRankShift = 62;

    private readonly SearchOrder _order;
    private readonly FieldView? _field;
    private readonly ColumnReader? _column;
    private readonly ulong _seed;
    private readonly byte[] _termKey = new byte[sizeof(uint)];
    private byte[] _boundText = [];

    /// <param name="order">What is compared.</param>
    /// <param name="field">The field, where the kind has one; null: the index has no such field.</param>
    public OrderKey(SearchOrder order, FieldView? field)
    {
        _order = order;
        _field = field;
        if (field is { IsSortable: false })
            throw new SearchQueryException(
                $"The field '{field.Name}' was indexed without a column, so that results cannot be ordered by it."
            );
        if (field is not null)
            _column = new ColumnReader(field.Column);
        if (order.Kind == SearchOrderKind.Random)
            _seed = order.Seed is null ? (ulong)Random.Shared.NextInt64() : SeedOf(order.Seed);
    }

    public SearchOrder Order => _order;

    public FieldView? Field => _field;

    /// <summary>What the entry compares as.</summary>
    public ColumnCell Of(long entry)
    {
        switch (_order.Kind)
        {
            case SearchOrderKind.Entry:
                return new ColumnCell { Kind = ColumnKind.Number, Order = (ulong)entry };
            case SearchOrderKind.Random:
                return new ColumnCell { Kind = ColumnKind.Number, Order = Mix((ulong)entry + _seed) };
        }
        if (_column is null)
            return default;
        var cell = _column.Cell(entry);
        return _order.Kind == SearchOrderKind.Number && cell.Kind == ColumnKind.Text ? default : cell;
    }

    /// <summary>Reads what many entries compare as, and the coarse numbers of it.</summary>
    public void Read(ReadOnlySpan<long> entries, Span<ColumnCell> cells, Span<ulong> coarse)
    {
        if (_column is null || _order.Kind != SearchOrderKind.Number)
        {
            for (int i = 0; i < entries.Length; i++)
                coarse[i] = Coarse(cells[i] = Of(entries[i]));
            return;
        }
        // The most frequent kind without a branch on the kind for each entry.
        ulong flip = _order.IsDescending ? ulong.MaxValue : 0;
        for (int i = 0; i < entries.Length; i++)
        {
            var cell = _column.Cell(entries[i]);
            if (cell.Kind == ColumnKind.Text)
                cell = default;
            cells[i] = cell;
            coarse[i] = ((ulong)cell.Kind << CoarseRankShift | cell.Order >> (64 - CoarseRankShift)) ^ flip;
        }
    }

    /// <summary>Compares two entries by what they compare as, in the direction of the order.</summary>
    public int Compare(in ColumnCell a, in ColumnCell b)
    {
        int order = CompareAscending(a, b);
        return _order.IsDescending ? -order : order;
    }

    /// <summary>A number that compares as cells do in the direction of the order, but that different cells may share.</summary>
    public ulong Coarse(in ColumnCell cell)
    {
        ulong coarse = _order.Kind switch
        {
            SearchOrderKind.Entry or SearchOrderKind.Random => cell.Order,
            SearchOrderKind.AlphaNumeric => (ulong)RankOf(cell) << CoarseRankShift,
            _ => (ulong)RankOf(cell) << CoarseRankShift | StartOf(cell) >> (64 - CoarseRankShift),
        };
        return _order.IsDescending ? ~coarse : coarse;
    }

    /// <summary>Writes what the entry compares as, to be read in another transaction.</summary>
    public void Write(in ColumnCell cell, List<byte> target)
    {
        Span<byte> head = stackalloc byte[11];
        head[0] = (byte)cell.Kind;
        BinaryPrimitives.WriteUInt16BigEndian(head[1..], cell.Remainder);
        BinaryPrimitives.WriteUInt64BigEndian(head[3..], cell.Order);
        target.AddRange(head);
        if (cell.Kind != ColumnKind.Text)
            return;
        Span<byte> room = stackalloc byte[TextKey.MaxBytes];
        var text = TextOf(cell, room);
        Span<byte> length = stackalloc byte[2];
        BinaryPrimitives.WriteUInt16BigEndian(length, (ushort)text.Length);
        target.AddRange(length);
        target.AddRange(text);
    }

    /// <summary>Reads what <see cref="Write"/> has written, and moves behind it. Only one place can be read at a time.</summary>
    public ColumnCell Read(ReadOnlySpan<byte> source, ref int at)
    {
        Require(source.Length - at >= 11 && source[at] <= (byte)ColumnKind.Text);
        var cell = new ColumnCell
        {
            Kind = (ColumnKind)source[at],
            Remainder = BinaryPrimitives.ReadUInt16BigEndian(source[(at + 1)..]),
            Order = BinaryPrimitives.ReadUInt64BigEndian(source[(at + 3)..]),
        };
        at += 11;
        if (cell.Kind != ColumnKind.Text)
            return cell;
        Require(source.Length - at >= 2);
        int length = BinaryPrimitives.ReadUInt16BigEndian(source[at..]);
        Require(source.Length - at - 2 >= length);
        _boundText = source.Slice(at + 2, length).ToArray();
        at += 2 + length;
        cell.TermNumber = BoundTerm;
        return cell;
    }

    /// <summary>The key in the dictionary of the place that was read last.</summary>
    public byte[] BoundKey(in ColumnCell cell)
    {
        if (cell.Kind == ColumnKind.Text)
            return [.. TextKey.First, .. _boundText];
        byte[] key = new byte[cell.Remainder == 0 ? sizeof(ulong) : NumberKey.MaxBytes];
        BinaryPrimitives.WriteUInt64BigEndian(key, cell.Order);
        if (cell.Remainder != 0)
            BinaryPrimitives.WriteUInt16BigEndian(key.AsSpan(sizeof(ulong)), cell.Remainder);
        return key;
    }

    private static void Require(bool isSound)
    {
        if (!isSound)
            throw new SearchQueryException("The position to resume behind was not made by this order.");
    }

    /// <summary>Missing, null, empty array, values.</summary>
    private static int RankOf(in ColumnCell cell) => Math.Min((int)cell.Kind, (int)ColumnKind.Number);

    private int CompareAscending(in ColumnCell a, in ColumnCell b)
    {
        int rank = RankOf(a);
        int order = rank.CompareTo(RankOf(b));
        if (order != 0 || rank < (int)ColumnKind.Number)
            return order;
        switch (_order.Kind)
        {
            case SearchOrderKind.Text:
                return CompareTexts(a, b);
            case SearchOrderKind.AlphaNumeric:
                return CompareAlphaNumeric(a, b);
            default:
                order = a.Order.CompareTo(b.Order);
                return order != 0 ? order : a.Remainder.CompareTo(b.Remainder);
        }
    }

    private int CompareTexts(in ColumnCell a, in ColumnCell b)
    {
        if (a.Kind == ColumnKind.Text && b.Kind == ColumnKind.Text)
        {
            if (a.Order != b.Order)
                return a.Order.CompareTo(b.Order);
            if (a.TermNumber == b.TermNumber)
                return 0;
        }
        Span<byte> roomA = stackalloc byte[TextKey.MaxBytes];
        Span<byte> roomB = stackalloc byte[TextKey.MaxBytes];
        return TextOf(a, roomA).SequenceCompareTo(TextOf(b, roomB));
    }

    private int CompareAlphaNumeric(in ColumnCell a, in ColumnCell b)
    {
        if (a.Kind == ColumnKind.Text && b.Kind == ColumnKind.Text && a.TermNumber == b.TermNumber)
            return 0;
        Span<byte> roomA = stackalloc byte[TextKey.MaxBytes];
        Span<byte> roomB = stackalloc byte[TextKey.MaxBytes];
        return AlphaNumericOrder.Compare(TextOf(a, roomA), TextOf(b, roomB));
    }

    /// <summary>The first 8 bytes of what is compared, the first the most significant.</summary>
    private ulong StartOf(in ColumnCell cell)
    {
        if (_order.Kind != SearchOrderKind.Text || cell.Kind != ColumnKind.Number)
            return cell.Kind >= ColumnKind.Number ? cell.Order : 0;
        Span<byte> room = stackalloc byte[SearchNumberText.MaxBytes];
        room[..sizeof(ulong)].Clear();
        int length = SearchNumberText.Write(cell.Order, cell.Remainder, room);
        if (length < sizeof(ulong))
            room[length..sizeof(ulong)].Clear();
        return BinaryPrimitives.ReadUInt64BigEndian(room);
    }

    /// <summary>The text, or as much as is kept of it.</summary>
    private ReadOnlySpan<byte> TextOf(in ColumnCell cell, Span<byte> room)
    {
        if (cell.Kind == ColumnKind.Number)
            return room[..SearchNumberText.Write(cell.Order, cell.Remainder, room)];
        if (cell.TermNumber == BoundTerm)
            return _boundText;
        BinaryPrimitives.WriteUInt32BigEndian(_termKey, cell.TermNumber);
        bool found = _field!.TermNames.TryGet(_termKey, out var term);
        Invariant.Require(found, "a column has a term that has no name");
        return TextKey.TermOf(term);
    }

    private static ulong SeedOf(string seed)
    {
        ulong hash = 0xCBF29CE484222325;
        foreach (char c in seed)
            hash = (hash ^ c) * 0x100000001B3;
        return hash;
    }

    /// <summary>Spreads neighbouring numbers over all 64 bits (the finalizer of SplitMix64); different numbers stay different.</summary>
    private static ulong Mix(ulong value)
    {
        value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
        value = (value ^ value >> 27) * 0x94D049BB133111EB;
        return value ^ value >> 31;
    }
}
