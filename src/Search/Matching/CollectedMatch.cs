using System.Buffers;

namespace Jackdaw.Search.Matching;

/// <summary>The entries of another match, which is read to its end once.</summary>
internal sealed class CollectedMatch(QueryRun run, Match of) : BitmapMatch(run)
{
    protected override long Bound => of.Count;

    protected override bool IsBoundExact => of.IsExact;

    public override void Describe(MatchDescription description) => of.Describe(description);

    public override void Dispose()
    {
        base.Dispose();
        of.Dispose();
    }

    protected override void Collect(EntryBitmap bitmap) => CollectInto(bitmap, of, Run);

    /// <summary>Adds all entries of a match.</summary>
    public static void CollectInto(EntryBitmap bitmap, Match match, QueryRun run)
    {
        long[] ids = ArrayPool<long>.Shared.Rent(BlockIds);
        try
        {
            for (int filled; (filled = match.Fill(ids)) > 0; run.Check())
                bitmap.Add(ids.AsSpan(0, filled));
        }
        finally
        {
            ArrayPool<long>.Shared.Return(ids);
        }
    }
}
