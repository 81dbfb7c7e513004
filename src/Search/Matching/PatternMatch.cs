using Jackdaw.Search.Dictionary;

namespace Jackdaw.Search.Matching;

/// <summary>The entries of text terms that a pattern fits: terms are sought by its literal prefix and then tested. Terms that are not kept
/// whole are left out.</summary>
internal sealed class PatternMatch : BitmapMatch
{
    /// <summary>Terms between two looks at the limits.</summary>
    private const int CheckEvery = 256;

    private readonly TermSegment _segment;
    private readonly ITermTest _test;
    private readonly string _what;
    private readonly long _postings;
    private readonly long _terms;

    public PatternMatch(QueryRun run, FieldView field, ITermTest test, string what)
        : base(run)
    {
        byte[] prefix = [.. TextKey.First, .. test.Prefix];
        _segment = new TermSegment(field.Texts, prefix, TermSegment.AfterPrefix(prefix), AreNumbers: false);
        _test = test;
        _what = what;
        _postings = _segment.PostingCount();
        _terms = _segment.TermCount();
    }

    protected override long Bound => Math.Min(_postings, Run.View.EntryCount);

    protected override bool IsBoundExact => _terms == 0;

    public override void Describe(MatchDescription description) => description.Add(_what, this, $"{_terms} terms tested");

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
}
