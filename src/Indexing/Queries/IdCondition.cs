namespace Jackdaw.Indexing.Queries;

/// <summary>What a <c>where</c> that speaks of ids alone leaves of all documents.</summary>
/// <param name="Kind">How the documents are found.</param>
/// <param name="Ids">For <see cref="QuerySourceKind.Ids"/>.</param>
/// <param name="Prefix">For <see cref="QuerySourceKind.IdPrefix"/>.</param>
internal sealed record IdCondition(QuerySourceKind Kind, IReadOnlyList<string> Ids, string Prefix)
{
    public static IdCondition Everything { get; } = new(QuerySourceKind.Everything, [], "");

    public static IdCondition Of(IReadOnlyList<string> ids) => new(QuerySourceKind.Ids, ids, "");

    public static IdCondition BeginningWith(string prefix) => new(QuerySourceKind.IdPrefix, [], prefix);
}
