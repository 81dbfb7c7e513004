using System.Text.Json;
using Jackdaw.Documents.Reading;

namespace Jackdaw.Documents.Commands;

/// <summary>
/// Stores a document. Inputs are set before submission and checked as they are set (each setter may throw an <see cref="Errors.OperationException"/>); results are
/// valid once the batch has been awaited and until it is returned.
/// Ids: <c>users/1</c> is taken as is; <c>users/</c> gets a number from the server (<c>users/0000000000000000042-A</c>); <c>users|</c> the next identity
/// (<c>users/1</c>); none at all a guid.
/// </summary>
public sealed class PutCommand : DocumentCommand
{
    internal PutCommand() { }

    /// <summary>Sets the id, UTF-8 or text; empty or null asks for a guid. The bytes are copied.</summary>
    public void SetId(ReadOnlySpan<byte> utf8) => throw new NotSupportedException();

    public void SetId(string? id) => throw new NotSupportedException();

    /// <summary>Null: no check (the default). Empty: the document must not exist. Otherwise it must have exactly this change vector.</summary>
    public void SetExpectedChangeVector(string? changeVector) => throw new NotSupportedException();

    /// <summary>
    /// Sets the document: one JSON object in UTF-8, which may hold <c>@metadata</c>. Not copied: the memory must stay as it is until the batch has been awaited.
    /// Throws <see cref="Errors.InvalidDocumentException"/> or <see cref="Errors.TooLargeException"/>.
    /// </summary>
    public void SetDocument(ReadOnlyMemory<byte> json, Limits limits) => throw new NotSupportedException();

    /// <summary>
    /// As <see cref="SetDocument(ReadOnlyMemory{byte}, Limits)"/>, for a document inside a larger JSON text: the reader stands on its <c>{</c> and is left on its
    /// <c>}</c>. <paramref name="source"/> is the whole text that the reader was made over, at index 0, and stays as it is likewise.
    /// </summary>
    public void SetDocument(ref Utf8JsonReader reader, ReadOnlyMemory<byte> source, Limits limits) => throw new NotSupportedException();

    public override long SizeBytes => throw new NotSupportedException();

    /// <summary>The id under which it was stored, in the stored casing. A result.</summary>
    public ReadOnlySpan<byte> Id => throw new NotSupportedException();

    /// <summary>The collection, <c>@empty</c> for none. A result.</summary>
    public ReadOnlySpan<byte> Collection => throw new NotSupportedException();

    /// <summary>A result.</summary>
    public ReadOnlySpan<byte> ChangeVector => throw new NotSupportedException();

    /// <summary>A result.</summary>
    public long Etag => throw new NotSupportedException();

    /// <summary>UTC ticks. A result.</summary>
    public long LastModifiedTicks => throw new NotSupportedException();

    /// <summary>A result.</summary>
    public DocumentFlags Flags => throw new NotSupportedException();
}
