using Jackdaw.Documents.Reading;

namespace Jackdaw.Indexing.Queries;

/// <summary>Documents, one after another.</summary>
internal interface IDocumentCursor
{
    /// <summary>The one moved to; valid until the next move.</summary>
    Document Current { get; }

    /// <summary>The etag of the one moved to.</summary>
    long CurrentEtag => Current.Etag;

    /// <summary>The one moved to is to be passed over: <see cref="DocumentCursor.IsHidden"/>.</summary>
    bool IsHidden => false;

    bool MoveNext();
}
