using Jackdaw.Documents.Layout;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Documents.Reading;

/// <summary>A document that was looked up, in a form that can lie in an array. Readable as long as its reader.</summary>
public readonly struct FoundDocument
{
    private readonly long _etag;
    private readonly PageBytes _row;

    internal FoundDocument(long etag, PageBytes row) => (_etag, _row) = (etag, row);

    /// <summary>Returns the document. False: there is none of this id.</summary>
    public bool TryGet(out Document document)
    {
        document = _row.IsThere ? new DocumentRow(_row.Span).ToDocument(_etag) : default;
        return _row.IsThere;
    }
}
