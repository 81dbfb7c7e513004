using System.Globalization;
using Jackdaw.Indexing.Definitions;

namespace Jackdaw.Indexing.Queries;

/// <summary>
/// How a query is answered: where its documents come from, which of them, in which order, and what is sent of them. Immutable;
/// made by <see cref="QueryPlanner"/>, run by <see cref="QueryCursor"/>.
/// </summary>
public sealed record QueryPlan
{
    internal QueryPlan() { }

    /// <summary>The collection that results must belong to, as the query spells it (compared without case); null for all
    /// documents.</summary>
    public required string? Collection { get; init; }

    /// <summary>What is asked of an index; null for a query that needs none.</summary>
    public IndexPlan? Index { get; init; }

    /// <summary>What answers of a query without an index call it: <c>collection/Users</c>, <c>collection/@all_docs</c>.</summary>
    public string CollectionName => "collection/" + (Collection ?? Rql.Syntax.RqlFrom.AllDocumentsName);

    /// <summary>How the documents are found.</summary>
    public QuerySourceKind Source { get; init; }

    /// <summary>For <see cref="QuerySourceKind.Ids"/>: the ids as given, in no order, perhaps twice, perhaps of no document.</summary>
    public IReadOnlyList<string> Ids { get; init; } = [];

    /// <summary>For <see cref="QuerySourceKind.IdPrefix"/>: what ids begin with, in any casing.</summary>
    public string IdPrefix { get; init; } = "";

    /// <summary>The order of the results.</summary>
    public QueryOrder Order { get; init; }

    /// <summary>How many matches to pass over before the first result; not negative.</summary>
    public long Skip { get; init; }

    /// <summary>How many results to give at most; null for all.</summary>
    public long? Take { get; init; }

    /// <summary>Where the ids of documents to send along stand in the results.</summary>
    public IReadOnlyList<IncludePath> Includes { get; init; } = [];

    /// <summary>What to send in place of each document; null for the document itself.</summary>
    public QueryProjection? Projection { get; init; }

    /// <summary>The projection in JavaScript; null for none. A plan has one kind of projection at most.</summary>
    public ScriptPlan? Script { get; init; }

    /// <summary>Rows that look like an earlier one are left out.</summary>
    public bool IsDistinct { get; init; }

    /// <summary>What is looked at document by document; null for nothing.</summary>
    public FilterPlan? Filter { get; init; }

    /// <summary>The answer is to tell what took how long.</summary>
    public bool WantsTimings { get; init; }

    /// <summary>The query compares something with the time at which it was planned: the next answer may be another one.</summary>
    public bool DependsOnTime { get; init; }

    /// <summary>Whether answers show documents other than the results: included and loaded ones.</summary>
    public bool ShowsOtherDocuments => Includes.Count > 0 || Script is not null;

    /// <summary>Returns the plan as an index that the query names answers it: one without the metadata's fields leaves conditions on
    /// them to <see cref="Filter"/>. Null: it does not have what the query needs.</summary>
    internal QueryPlan? For(AutoIndexDefinition index)
    {
        if (Covers(Index!.Wanted))
            return this;
        return Index.MetadataTest is { } test && Covers(test.Index.Wanted)
            ? this with
            {
                Index = test.Index with { MetadataTest = null },
                Filter = test.Filter,
            }
            : null;

        // A query that names its index asks that of no collection.
        bool Covers(AutoIndexDefinition wanted) => AutoIndexDefinitions.Covers(index, wanted with { Collection = index.Collection });
    }

    /// <summary>The plan in a sentence, for people.</summary>
    public override string ToString()
    {
        var skipAndTake = string.Create(CultureInfo.InvariantCulture, $"skip {Skip}, take {(Take is { } most ? most : "all")}");
        if (Index is { } index)
            return $"{index}, {skipAndTake}";
        var source = Source switch
        {
            QuerySourceKind.Ids => string.Create(CultureInfo.InvariantCulture, $"{Ids.Count} ids"),
            QuerySourceKind.IdPrefix => $"ids that begin with '{IdPrefix}'",
            _ => "everything",
        };
        var order = Order switch
        {
            QueryOrder.IdAscending => "id",
            QueryOrder.IdDescending => "id descending",
            _ => "etag",
        };
        return $"{CollectionName}: {source}, by {order}, {skipAndTake}";
    }
}
