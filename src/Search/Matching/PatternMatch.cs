using Jackdaw.Search.Columns;
using Jackdaw.Search.Dictionary;

namespace Jackdaw.Search.Matching;

/// <summary>The entries of text terms that a pattern fits: terms are sought by its literal prefix and then tested. Terms that are not kept
/// whole are left out.</summary>
internal sealed class PatternMatch : BitmapMatch
{
    /// <summary>Terms between two looks at the limits.</summary>
    private const int CheckEvery = 256;

    /// <summary>Looking up the term of an entry costs about as much as walking over so many.</summary>
    private const int TermsForOneCell = 8;

    private readonly FieldView _field;
    private readonly TermSegment _segment;
    private readonly ITermTest _test;
    private readonly string _what;
    private readonly long _postings;
    private readonly long _terms;
    private ColumnTerms? _column;

    public PatternMatch(QueryRun run, FieldView field, ITermTest test, string what)
        : base(run)
    {
        byte[] prefix = [.. TextKey.First, .. test.Prefix];
        _segment = new TermSegment(field.Texts, prefix, TermSegment.AfterPrefix(prefix), AreNumbers: false);
        _field = field;
        _test = test;
        _what = what;
        (_terms, _postings) = _segment.Measure();
    }

    protected override long Bound => Math.Min(_postings, Run.View.EntryCount);

    protected override bool IsBoundExact => _terms == 0;

    public override int Retain(Span<long> ids) => _column is null ? base.Retain(ids) : FilterByColumn(ids, isIn: true);

    public override int Exclude(Span<long> ids) => _column is null ? base.Exclude(ids) : FilterByColumn(ids, isIn: false);

    public override void Expect(long ids)
    {
        if (ColumnTerms.Knows(_field) && !IsCollected && ids * TermsForOneCell < _terms)
            _column = new ColumnTerms(_field);
    }

    public override void Describe(MatchDescription description) =>
        description.Add(_what, this, _column is null ? $"{_terms} terms tested" : "by the column");

    protected override void Collect(EntryBitmap bitmap)
    {
        using var cursor = _segment.Tree.OpenCursor();
        var collector = new PostingCollector(Run, bitmap);
        long work = 0;
        long left = _terms;
        for (bool any = left > 0 && cursor.Seek(_segment.From); any && left > 0; any = cursor.MoveNext(), left--)
        {
            if (left % CheckEvery == 0)
            {
                Run.Check();
                Run.AddPatternWork(work);
                work = 0;
            }
            if (_test.Fits(cursor.Key[TextKey.WholePrefixBytes..], ref work))
                collector.Add(_segment.Tree, cursor.Value);
        }
        collector.End();
    }

    private int FilterByColumn(Span<long> ids, bool isIn)
    {
        Run.Check();
        long work = 0;
        int kept = 0;
        foreach (long id in ids)
        {
            var cell = _column!.CellOf(id);
            bool fits = cell.Kind == ColumnKind.Text && Fits(_column.KeyOf(cell), ref work);
            ids[kept] = id;
            kept += fits == isIn ? 1 : 0;
        }
        Run.AddPatternWork(work);
        return kept;
    }

    private bool Fits(ReadOnlySpan<byte> key, ref long work) => !TextKey.IsCut(key) && _test.Fits(TextKey.TermOf(key), ref work);
}
