namespace Jackdaw.Search.Queries;

/// <summary>What to find, in which order, and how much of it.</summary>
public sealed record SearchRequest
{
    /// <summary>The conditions.</summary>
    public required SearchQuery Query { get; init; }

    /// <summary>The keys of the order, the most important first; entries that are equal in all follow each other by entry id. None: by
    /// entry id, and a
    /// range of numbers alone with more than 1,024 matches by its values.</summary>
    public IReadOnlyList<SearchOrder> Order { get; init; } = [];

    /// <summary>Matches to pass over.</summary>
    public long Skip { get; init; }

    /// <summary>Matches to give at most.</summary>
    public long Take { get; init; } = long.MaxValue;

    /// <summary>Resume behind this place; null: from the start. For long answers that go on in another transaction.</summary>
    public SearchPosition? After { get; init; }

    /// <summary>The query ends with an <see cref="OperationCanceledException"/> when this is cancelled: the client has gone, or time is
    /// up.</summary>
    public CancellationToken Cancellation { get; init; }
}
