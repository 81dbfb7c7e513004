using Jackdaw.Documents;
using Jackdaw.Documents.Reading;

namespace Jackdaw.Indexing.Processes;

/// <summary>The documents that an index follows: a database, as far as an index needs it.</summary>
/// <param name="Id">The database's.</param>
/// <param name="Ancestors">What the database is a copy of, the nearest first.</param>
/// <param name="Open">Opens a reader at the last durable transaction, for a purpose.</param>
/// <param name="LastDurableEtag">The highest etag that is durable.</param>
internal sealed record FollowedDocuments(
    Guid Id,
    IReadOnlyList<DatabaseAncestor> Ancestors,
    Func<string, DocumentsReader> Open,
    Func<long> LastDurableEtag
)
{
    public static FollowedDocuments Of(Database database) =>
        new(database.Id, database.Ancestors, database.OpenRead, () => database.LastDurableEtag);
}
