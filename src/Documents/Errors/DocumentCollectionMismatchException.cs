namespace Jackdaw.Documents.Errors;

/// <summary>A put would move an existing document to another collection.</summary>
public sealed class DocumentCollectionMismatchException : OperationException
{
    /// <summary>Creates the error for a document, with its collection and the one it was to be stored in.</summary>
    public DocumentCollectionMismatchException(string id, string existing, string given)
        : base(
            $"Document '{ShownText.Of(id)}' is in collection '{ShownText.Of(existing)}' and cannot be stored "
                + $"in '{ShownText.Of(given)}': a document's collection never changes; delete it first."
        )
    {
        Id = id;
        ExistingCollection = existing;
        GivenCollection = given;
    }

    /// <summary>The id of the document.</summary>
    public string Id { get; }

    /// <summary>The collection that the document is in.</summary>
    public string ExistingCollection { get; }

    /// <summary>The collection that the write named.</summary>
    public string GivenCollection { get; }
}
