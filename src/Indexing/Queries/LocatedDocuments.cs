using Jackdaw.Documents.Reading;
using Jackdaw.Storage;

namespace Jackdaw.Indexing.Queries;

/// <summary>
/// Documents that were located before, perhaps by an earlier reader, read again one by one in the order of the list, as they are now. Those
/// that are gone, or have gone to another collection, are left out.
/// </summary>
internal sealed class LocatedDocuments(ICollectionSource source, LocatedDocument[] documents, int next, byte[] collection) : IDocumentCursor
{
    /// <summary>How many of the list were passed.</summary>
    public int Next { get; private set; } = next;

    public bool IsAtEnd => Next == documents.Length;

    public Document Current
    {
        get
        {
            var found = source.TryGet(documents[Next - 1].LowerId, out var document);
            Invariant.Require(found);
            return document;
        }
    }

    public bool MoveNext()
    {
        if (IsAtEnd)
            return false;
        do
        {
            if (
                source.TryGet(documents[Next++].LowerId, out var document)
                && (collection.Length == 0 || document.Collection.SequenceEqual(collection))
            )
                return true;
        } while (!IsAtEnd && !source.IsDue);

        return false;
    }
}
