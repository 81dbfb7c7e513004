using Jackdaw.Search.Postings;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Matching;

/// <summary>The entries of one term.</summary>
internal sealed class TermMatch : Match
{
    private readonly QueryRun _run;
    private readonly PostingReader _postings;
    private readonly string _what;

    public TermMatch(QueryRun run, BTree dictionary, ReadOnlySpan<byte> record, string what)
    {
        _run = run;
        _what = what;
        _postings = run.Rent();
        _postings.Open(dictionary, record);
    }

    public override long Count => _postings.Count;

    public override bool IsExact => true;

    public override int Fill(Span<long> ids)
    {
        _run.Check();
        return _postings.Fill(ids);
    }

    public override void SeekTo(long id) => _postings.SeekTo(id);

    public override void Rewind() => _postings.Rewind();

    public override int Retain(Span<long> ids) => _postings.Retain(ids);

    public override void Describe(MatchDescription description) => description.Add(_what, this);

    public override void Dispose() => _run.Return(_postings);
}
