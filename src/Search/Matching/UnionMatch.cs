namespace Jackdaw.Search.Matching;

/// <summary>Entries of any of many matches, collected one after the other.</summary>
internal sealed class UnionMatch(QueryRun run, IReadOnlyList<Match> of) : BitmapMatch(run)
{
    protected override long Bound => Math.Min(of.Sum(match => match.Count), Run.View.EntryCount);

    protected override bool IsBoundExact => false;

    public override void Describe(MatchDescription description) => description.Add("or", this, "a union of bits", [.. of]);

    public override void Dispose()
    {
        base.Dispose();
        foreach (var match in of)
            match.Dispose();
    }

    protected override void Collect(EntryBitmap bitmap)
    {
        foreach (var match in of)
            CollectedMatch.CollectInto(bitmap, match, Run);
    }
}
