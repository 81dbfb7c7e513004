using Jackdaw.Documents.Reading;

namespace Jackdaw.Indexing.Processes;

/// <summary>How far an index is in one of its collections.</summary>
/// <param name="Collection">The collection; <c>@all_docs</c> of an index of all documents.</param>
/// <param name="LastProcessedDocumentEtag">The highest etag of a document that it has seen.</param>
/// <param name="LastProcessedTombstoneEtag">The highest etag of a deletion that it has seen.</param>
/// <param name="DocumentLag">Documents that it has yet to see.</param>
/// <param name="TombstoneLag">Deletions that it has yet to see.</param>
public sealed record CollectionLag(
    string Collection,
    long LastProcessedDocumentEtag,
    long LastProcessedTombstoneEtag,
    CountedChanges DocumentLag,
    CountedChanges TombstoneLag
);
