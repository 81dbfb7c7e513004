using Jackdaw.Indexing.Queries;

namespace Jackdaw.Indexing.Running;

/// <summary>What an index holds of the matches of a query: for people who want to know why a document is found, or is not.</summary>
/// <param name="Total">All matches.</param>
/// <param name="Entries">Of each match the terms, field by field.</param>
public sealed record IndexEntries(long Total, IReadOnlyList<IReadOnlyList<KeyValuePair<string, IReadOnlyList<string>>>> Entries)
{
    /// <summary>Entries shown at most.</summary>
    public const int Most = 1_000;

    /// <summary>Reads the entries of a page, <see cref="Most"/> of them at most. Errors: <see cref="Search.SearchQueryException"/>,
    /// <see cref="OperationCanceledException"/>.</summary>
    public static IndexEntries Read(QueryPlan plan, QueryMoment moment, CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(plan);
        ArgumentNullException.ThrowIfNull(moment);
        var rows = new IndexRows(plan with { Take = Math.Min(plan.Take ?? Most, Most) }, cancellation);
        var entries = new List<IReadOnlyList<KeyValuePair<string, IReadOnlyList<string>>>>();
        try
        {
            rows.Begin(moment);
            while (rows.MoveNextEntry())
                entries.Add(moment.Index!.Search.TermsOf(rows.Entry));
            return new IndexEntries(rows.Total!.Value, entries);
        }
        finally
        {
            rows.End();
        }
    }
}
