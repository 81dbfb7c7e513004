using Jackdaw.Documents.Layout;

namespace Jackdaw.Documents.Reading;

/// <summary>
/// A stored document: spans over page memory, valid until its <see cref="DocumentsReader"/> ends (or its cursor moves on).
/// </summary>
public readonly ref struct Document
{
    /// <summary>The id in UTF-8, in the casing of its first write.</summary>
    public ReadOnlySpan<byte> Id { get; internal init; }

    /// <summary>The id in lower case: the key of comparisons and of id order.</summary>
    public ReadOnlySpan<byte> LowerId { get; internal init; }

    /// <summary>The number of the write that made this version; unique in the database.</summary>
    public long Etag { get; internal init; }

    /// <summary>For example <c>A:12-AbCdEfGhIjKlMnOpQrStUv</c>.</summary>
    public ReadOnlySpan<byte> ChangeVector { get; internal init; }

    /// <summary>UTC ticks.</summary>
    public long LastModifiedTicks { get; internal init; }

    /// <summary>The collection's name in its kept casing; <c>@empty</c> when the document was stored without one.</summary>
    public ReadOnlySpan<byte> Collection { get; internal init; }

    /// <summary>False when the document was stored without a collection: <c>@collection</c> is then not shown.</summary>
    public bool HasCollection { get; internal init; }

    /// <summary>Which kinds of data hang on the document.</summary>
    public DocumentFlags Flags { get; internal init; }

    /// <summary>The client's own metadata members as JSON text without the braces (<c>"a":1,"b":2</c>); empty when there are
    /// none.</summary>
    public ReadOnlySpan<byte> Metadata { get; internal init; }

    /// <summary>The document's JSON object without <c>@metadata</c>, braces included, on one line.</summary>
    public ReadOnlySpan<byte> Body { get; internal init; }

    /// <summary>An event that is deleted by now and still on disk. Only changes show such; its deletion follows among them, unless it was
    /// removed meanwhile.</summary>
    public bool IsDeleted { get; internal init; }

    /// <summary>The exact id of the stream of an event, UTF-8; empty for what is stored as a document.</summary>
    public ReadOnlySpan<byte> StreamId { get; internal init; }
}
