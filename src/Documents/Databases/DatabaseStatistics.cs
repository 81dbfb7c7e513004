using Jackdaw.Documents.Reading;

namespace Jackdaw.Documents;

/// <summary>A database at one durable moment, and its merger now.</summary>
/// <param name="DocumentCount">Documents.</param>
/// <param name="TombstoneCount">Deletions not yet cleaned.</param>
/// <param name="LastDocumentEtag">Highest etag of a document.</param>
/// <param name="LastEtag">Highest etag handed out.</param>
/// <param name="ChangeVector">The database's change vector: <c>A:LastEtag-id</c>; empty in a new database.</param>
/// <param name="DiskBytes">Bytes of its files.</param>
/// <param name="IdentityCount">Identities.</param>
/// <param name="WaitingOperations">Operations that wait to be executed.</param>
/// <param name="WaitingBytes">Bytes of operations that wait to be executed or to become durable.</param>
/// <param name="Collections">By name.</param>
public sealed record DatabaseStatistics(
    long DocumentCount,
    long TombstoneCount,
    long LastDocumentEtag,
    long LastEtag,
    string ChangeVector,
    long DiskBytes,
    long IdentityCount,
    long WaitingOperations,
    long WaitingBytes,
    IReadOnlyList<CollectionStatistics> Collections
);
