namespace Jackdaw.Documents.Commands;

/// <summary>Deletes a document, or every document whose id begins with a prefix. A document that is not there is no error unless a change vector is expected.</summary>
public sealed class DeleteCommand : DocumentCommand
{
    internal DeleteCommand() { }

    /// <summary>The id, or with <see cref="IdPrefixed"/> the prefix. The bytes are copied.</summary>
    public void SetId(ReadOnlySpan<byte> utf8) => throw new NotSupportedException();

    public void SetId(string id) => throw new NotSupportedException();

    /// <summary>Delete by prefix; a change vector cannot be expected then.</summary>
    public bool IdPrefixed { get; set; }

    /// <summary>Null: no check (the default). Empty: the document must not exist. Otherwise it must have exactly this change vector.</summary>
    public void SetExpectedChangeVector(string? changeVector) => throw new NotSupportedException();

    public override long SizeBytes => throw new NotSupportedException();

    /// <summary>The id as it was given. </summary>
    public ReadOnlySpan<byte> Id => throw new NotSupportedException();

    /// <summary>Documents deleted. A result.</summary>
    public int DeletedCount => throw new NotSupportedException();

    /// <summary>The change vector of the (last) deletion; empty when nothing was deleted. A result.</summary>
    public ReadOnlySpan<byte> ChangeVector => throw new NotSupportedException();

    /// <summary>The etag of the (last) deletion; 0 when nothing was deleted. A result.</summary>
    public long Etag => throw new NotSupportedException();
}
