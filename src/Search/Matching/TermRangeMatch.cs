using Jackdaw.Search.Columns;
using Jackdaw.Search.Dictionary;
using Jackdaw.Storage;

namespace Jackdaw.Search.Matching;

/// <summary>
/// The entries of terms that follow each other in the dictionary: a range, a prefix. Their number is known from the sums of the tree
/// where no
/// entry has several values. A few ids are filtered by the column, many by a union of the terms' postings.
/// </summary>
internal sealed class TermRangeMatch : BitmapMatch
{
    /// <summary>Looking at the cell of an entry somewhere costs about as much as so many postings of a union.</summary>
    private const int PostingsForOneCell = 8;

    private readonly FieldView _field;
    private readonly TermSegment[] _segments;
    private readonly string _what;
    private readonly long _postings;
    private ColumnTerms? _column;

    /// <param name="run">The query.</param>
    /// <param name="field">The field of the terms.</param>
    /// <param name="segments">The terms; each segment was measured.</param>
    /// <param name="postings">How many postings the terms have together.</param>
    /// <param name="what">For people.</param>
    public TermRangeMatch(QueryRun run, FieldView field, IReadOnlyList<TermSegment> segments, long postings, string what)
        : base(run)
    {
        _field = field;
        _segments = [.. segments];
        _postings = postings;
        _what = what;
    }

    public FieldView Field => _field;

    public IReadOnlyList<TermSegment> Segments => _segments;

    protected override long Bound => Math.Min(_postings, Run.View.EntryCount);

    protected override bool IsBoundExact => !_field.HasSeveralValues || _postings == 0;

    public override int Retain(Span<long> ids) => _column is null ? base.Retain(ids) : FilterByColumn(ids, isIn: true);

    public override int Exclude(Span<long> ids) => _column is null ? base.Exclude(ids) : FilterByColumn(ids, isIn: false);

    public override void Expect(long ids)
    {
        if (ColumnTerms.Knows(_field) && !IsCollected && ids * PostingsForOneCell < _postings)
            _column = new ColumnTerms(_field);
    }

    public override void Describe(MatchDescription description) =>
        description.Add(
            _what,
            this,
            _column is not null ? "by the column"
                : IsBoundExact ? "counted by the sums of the dictionary"
                : "a union of the terms' postings"
        );

    protected override void Collect(EntryBitmap bitmap)
    {
        var collector = new PostingCollector(Run, bitmap);
        foreach (var segment in _segments)
        {
            using var cursor = segment.Tree.OpenCursor();
            long terms = segment.Terms!.Value;
            for (bool any = terms > 0 && cursor.Seek(segment.From); any && terms > 0; any = cursor.MoveNext(), terms--)
                collector.Add(segment.Tree, cursor.Value);
            Invariant.Require(terms == 0, "a dictionary has fewer terms than it counts");
        }
        collector.End();
    }

    private int FilterByColumn(Span<long> ids, bool isIn)
    {
        Run.Check();
        int kept = 0;
        foreach (long id in ids)
        {
            ids[kept] = id;
            kept += IsWithin(_column!.CellOf(id)) == isIn ? 1 : 0;
        }
        return kept;
    }

    private bool IsWithin(in ColumnCell cell)
    {
        if (cell.Kind < ColumnKind.Number)
            return false;
        bool isNumber = cell.Kind == ColumnKind.Number;
        var key = isNumber ? default : _column!.KeyOf(cell);
        foreach (var segment in _segments)
        {
            if (segment.AreNumbers != isNumber)
                continue;
            bool isWithin = isNumber
                ? PlaceOf(segment.From) <= Place(cell.Order, cell.Remainder) && Place(cell.Order, cell.Remainder) < PlaceOf(segment.To)
                : key.SequenceCompareTo(segment.From) >= 0 && key.SequenceCompareTo(segment.To) < 0;
            if (isWithin)
                return true;
        }
        return false;
    }

    /// <summary>A number's place among all numbers and what lies between two.</summary>
    private static UInt128 Place(ulong order, ushort rest) => new UInt128(order, (ulong)rest << 1);

    /// <summary>The place of a key, or behind one: the key and a zero.</summary>
    private static UInt128 PlaceOf(ReadOnlySpan<byte> key)
    {
        if (key.IsEmpty)
            return 0;
        bool isBehind = key.Length is sizeof(ulong) + 1 or NumberKey.MaxBytes + 1;
        var (order, rest) = NumberKey.Read(isBehind ? key[..^1] : key);
        return Place(order, rest) + (isBehind ? 1u : 0);
    }
}
