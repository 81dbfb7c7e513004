namespace Jackdaw.Etl.Messages;

/// <summary>The change that messages and dead letters come of.</summary>
internal sealed record ChangeOrigin(string DocumentId, string Collection, string ChangeVector, long Etag, bool IsDeletion)
{
    /// <summary>The <c>traceparent</c> of the request that made the change; null when it had none, or is no longer known.</summary>
    public string? TraceParent { get; init; }

    /// <summary>The exact id of the stream of an event; null for a document.</summary>
    public string? StreamId { get; init; }

    /// <summary>What the changes of one thing have in common: changes with the same one stay in order.</summary>
    public string OrderedBy => StreamId ?? DocumentId;

    /// <summary>UTC ticks of the change.</summary>
    public long LastModifiedTicks { get; init; }
}
