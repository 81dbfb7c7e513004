using Jackdaw.Documents.Reading;

namespace Jackdaw.Indexing.Queries;

/// <summary>Documents, one after another.</summary>
internal interface IDocumentCursor
{
    /// <summary>The one moved to; valid until the next move.</summary>
    Document Current { get; }

    bool MoveNext();
}
