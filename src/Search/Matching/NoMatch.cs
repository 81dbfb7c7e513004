namespace Jackdaw.Search.Matching;

/// <summary>No entry.</summary>
internal sealed class NoMatch(string why) : Match
{
    public override long Count => 0;

    public override bool IsExact => true;

    public override int Fill(Span<long> ids) => 0;

    public override void SeekTo(long id) { }

    public override void Rewind() { }

    public override int Retain(Span<long> ids) => 0;

    public override int Exclude(Span<long> ids) => ids.Length;

    public override void Describe(MatchDescription description) => description.Add(why, this);

    public override void Dispose() { }
}
