using Jackdaw.Documents.Reading;
using Jackdaw.Storage;

namespace Jackdaw.Indexing.Queries;

/// <summary>Documents that were located before, read again one by one in the order of the list. All of one read transaction, so
/// none has gone.</summary>
internal sealed class LocatedDocuments(ICollectionSource source, LocatedDocument[] documents) : IDocumentCursor
{
    private int _at = -1;

    public int Count => documents.Length;

    public Document Current
    {
        get
        {
            var found = source.TryGet(documents[_at].LowerId, out var document);
            Invariant.Require(found);
            return document;
        }
    }

    public bool MoveNext() => ++_at < documents.Length;
}
