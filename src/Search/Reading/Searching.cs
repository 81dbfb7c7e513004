using Jackdaw.Search.Matching;
using Jackdaw.Search.Ordering;
using Jackdaw.Search.Queries;
using Jackdaw.Storage;

namespace Jackdaw.Search.Reading;

/// <summary>Answers queries over one view of an index.</summary>
internal static class Searching
{
    /// <summary>Errors: <see cref="SearchQueryException"/>, <see cref="OperationCanceledException"/>.</summary>
    public static SearchResult Run(IndexView view, SearchRequest request, OrderChoice choice = OrderChoice.Cheapest)
    {
        Invariant.Require(request.Skip >= 0 && request.Take >= 0);
        var run = new QueryRun(view, request.Cancellation);
        Match? match = null;
        try
        {
            run.Check();
            match = new MatchCompiler(run).Compile(request.Query);
            var keys = new OrderKeys(view, ImpliedOrder.Of(request, match));
            string counted = Count(run, ref match);
            long total = match.Count;
            long wanted = request.Take > total ? total : Math.Min(total, request.Skip + request.Take);
            if (request.Skip >= total)
                wanted = 0;
            var entries = new OrderPlan(run, keys, choice).Order(ref match, request, wanted);
            return new PagedResult(run, match, keys, entries, total, counted, request);
        }
        catch
        {
            match?.Dispose();
            run.Dispose();
            throw;
        }
    }

    /// <summary>Makes sure that the match knows its size; says how.</summary>
    private static string Count(QueryRun run, ref Match match)
    {
        if (match.IsExact)
            return "known without reading the matches";
        if (match is not BitmapMatch bitmap)
            match = bitmap = new CollectedMatch(run, match);
        bitmap.Collected();
        return "counted by collecting the matches as bits";
    }
}
