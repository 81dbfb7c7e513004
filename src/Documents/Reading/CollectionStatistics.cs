namespace Jackdaw.Documents.Reading;

/// <summary>A collection as a reader sees it.</summary>
/// <param name="Name">In its kept casing; <c>@empty</c> for documents without a collection.</param>
/// <param name="DocumentCount">Documents in it.</param>
/// <param name="TombstoneCount">Deletions not yet cleaned.</param>
/// <param name="DocumentBytes">Bytes of its documents' rows.</param>
/// <param name="LastDocumentEtag">The highest etag a document of it has or had; 0 when it never had one.</param>
/// <param name="LastTombstoneEtag">The highest etag of a deletion; 0 when there was none.</param>
public sealed record CollectionStatistics(
    string Name,
    long DocumentCount,
    long TombstoneCount,
    long DocumentBytes,
    long LastDocumentEtag,
    long LastTombstoneEtag
);
