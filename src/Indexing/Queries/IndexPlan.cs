using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Rql;
using Jackdaw.Search.Queries;

namespace Jackdaw.Indexing.Queries;

/// <summary>What a query asks of an index.</summary>
public sealed record IndexPlan
{
    internal IndexPlan() { }

    /// <summary>The index that the query names; null: any automatic index that has the fields.</summary>
    public string? Name { get; init; }

    /// <summary>Where the query names it.</summary>
    public RqlPosition NameAt { get; init; }

    /// <summary>The collection and the fields that conditions and orders need.</summary>
    public required AutoIndexDefinition Wanted { get; init; }

    /// <summary>The conditions.</summary>
    public required SearchQuery Query { get; init; }

    /// <summary>The keys of the order; empty: by entry.</summary>
    public required IReadOnlyList<SearchOrder> Order { get; init; }

    /// <summary>The order is another one each time, so that no answer is like the one before.</summary>
    public bool IsRandom { get; init; }

    /// <summary>For an index that does not have the metadata's fields of <see cref="Wanted"/>; null: it must have them.</summary>
    internal MetadataTest? MetadataTest { get; init; }

    /// <summary>The plan in a sentence, for people.</summary>
    public override string ToString()
    {
        var order = Order.Count == 0 ? "entry" : string.Join(", ", Order.Select(SearchQueryText.Of));
        return $"{Name ?? AutoIndexDefinitions.Name(Wanted)}: {SearchQueryText.Of(Query)}, by {order}";
    }
}
