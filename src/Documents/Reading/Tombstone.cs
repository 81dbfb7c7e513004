namespace Jackdaw.Documents.Reading;

/// <summary>What is kept of a deleted document until every consumer has seen the deletion. Spans as in <see cref="Document"/>.</summary>
public readonly ref struct Tombstone
{
    /// <summary>The deleted document's id, in its stored casing.</summary>
    public ReadOnlySpan<byte> Id { get; internal init; }

    /// <summary>The id in lower case, UTF-8.</summary>
    public ReadOnlySpan<byte> LowerId { get; internal init; }

    /// <summary>The etag of the deletion.</summary>
    public long Etag { get; internal init; }

    /// <summary>The etag that the document had.</summary>
    public long DocumentEtag { get; internal init; }

    /// <summary>The change vector of the deletion, UTF-8.</summary>
    public ReadOnlySpan<byte> ChangeVector { get; internal init; }

    /// <summary>UTC ticks of the deletion.</summary>
    public long LastModifiedTicks { get; internal init; }

    /// <summary>The name of the collection that the document was in, UTF-8.</summary>
    public ReadOnlySpan<byte> Collection { get; internal init; }

    /// <summary>The exact id of the stream of a deleted event, UTF-8; empty for a document.</summary>
    public ReadOnlySpan<byte> StreamId { get; internal init; }
}
