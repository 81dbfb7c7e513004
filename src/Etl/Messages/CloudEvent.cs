namespace Jackdaw.Etl.Messages;

/// <summary>The attributes of a CloudEvent 1.0; see docs/etl.md, "CloudEvents".</summary>
internal sealed record CloudEvent
{
    public const string PutType = "ravendb.etl.put";
    public const string DeleteType = "ravendb.etl.delete";
    public const string JsonContentType = "application/json";

    public required string Id { get; init; }

    public required string Source { get; init; }

    public required string Type { get; init; }

    public required string Subject { get; init; }

    /// <summary>RFC 3339.</summary>
    public required string Time { get; init; }

    public required string PartitionKey { get; init; }

    public string? DataSchema { get; init; }

    /// <summary>The extension <c>databaseid</c>: the database whose etag <c>etag</c> is, as change vectors carry its id. Null only for a
    /// dead letter that was stored without it.</summary>
    public required string? DatabaseId { get; init; }

    /// <summary>The extension "Distributed Tracing"; null when the writing request had none.</summary>
    public string? TraceParent { get; init; }
}
