namespace Jackdaw.Search.Matching;

/// <summary>The entries of a match that are in a set of bits, which is not this match's own.</summary>
internal sealed class FilteredMatch(Match of, EntryBitmap filter) : Match
{
    public override long Count => Math.Min(of.Count, filter.Count);

    public override bool IsExact => of is AllMatch;

    public override int Fill(Span<long> ids)
    {
        for (; ; )
        {
            int filled = of.Fill(ids);
            if (filled == 0)
                return 0;
            int kept = filter.Filter(ids[..filled], isIn: true);
            if (kept > 0)
                return kept;
        }
    }

    public override void SeekTo(long id) => of.SeekTo(id);

    public override void Rewind() => of.Rewind();

    public override int Retain(Span<long> ids) => of.Retain(ids[..filter.Filter(ids, isIn: true)]);

    public override void Describe(MatchDescription description) => of.Describe(description);

    public override void Dispose() => of.Dispose();
}
