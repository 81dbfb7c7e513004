using System.Text.Json;

namespace Jackdaw.Acceptance.Indexes;

/// <summary>What matters of an answer to a query.</summary>
internal sealed record IndexedAnswer(bool IsStale, long Total, long Skipped, IReadOnlyList<string> Ids, IReadOnlyList<double?> Totals)
{
    public static IndexedAnswer Parse(JsonElement answer)
    {
        var results = answer.GetProperty("Results").EnumerateArray().ToList();
        return new IndexedAnswer(
            answer.GetProperty("IsStale").GetBoolean(),
            answer.GetProperty("LongTotalResults").GetInt64(),
            answer.GetProperty("SkippedResults").GetInt64(),
            [.. results.Select(result => result.GetProperty("@metadata").GetProperty("@id").GetString()!)],
            [.. results.Select(result => IndexedDocument.Parse(result).Total)]
        );
    }

    /// <summary>What is wrong with an answer while nobody writes; null: nothing. Otherwise the documents may be newer than what the index
    /// has counted and ordered.</summary>
    public string? ProblemAtRest(IndexedQuery query)
    {
        if (IsStale || Skipped != 0)
            return $"it is {(IsStale ? "stale" : "fresh")}, and {Skipped} results were skipped, although nobody writes";
        if (Total != Ids.Count)
            return $"it has {Total} matches, but {Ids.Count} results";
        if (Ids.Distinct().Count() != Ids.Count)
            return "a document comes twice";
        // Those without a number come first.
        var order = Totals.Select(total => total ?? double.NegativeInfinity).ToList();
        return !query.IsByTotal || order.SequenceEqual(order.Order()) ? null : "its results are not in the order of Total";
    }
}
