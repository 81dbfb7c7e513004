namespace Jackdaw.Documents.Errors;

/// <summary>A put would move an existing document to another collection.</summary>
public sealed class DocumentCollectionMismatchException : OperationException
{
    public DocumentCollectionMismatchException(string id, string existing, string given)
        : base(
            $"Document '{id}' is in collection '{existing}' and cannot be stored "
                + $"in '{given}': a document's collection never changes; delete it first."
        )
    {
        Id = id;
        ExistingCollection = existing;
        GivenCollection = given;
    }

    public string Id { get; }

    public string ExistingCollection { get; }

    public string GivenCollection { get; }
}
