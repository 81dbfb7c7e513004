namespace Jackdaw.Functions.Handlers.Histories;

/// <summary>A database's id and ancestors, newest first. Immutable.</summary>
/// <param name="DatabaseId">The id that it has now.</param>
/// <param name="Ancestors">What it is a copy of, and what that was a copy of.</param>
public sealed record History(string DatabaseId, IReadOnlyList<Ancestor> Ancestors)
{
    /// <summary>Tells whether a change can be compared with this database's changes by its etag alone.</summary>
    public HistoryPlace PlaceOf(string databaseId, long etag)
    {
        if (databaseId == DatabaseId)
            return HistoryPlace.Own;
        var common = long.MaxValue;
        foreach (var ancestor in Ancestors)
        {
            common = Math.Min(common, ancestor.Etag);
            if (ancestor.DatabaseId == databaseId)
                return etag <= common ? HistoryPlace.Own : HistoryPlace.AfterFork;
        }
        return HistoryPlace.Unknown;
    }

    /// <summary>Knows the database: as itself or as an ancestor.</summary>
    public bool Knows(string databaseId) => databaseId == DatabaseId || Ancestors.Any(ancestor => ancestor.DatabaseId == databaseId);

    /// <summary>Returns the database that made a change: the same in every copy, so that what is named by it keeps its name.</summary>
    public string MakerOf(long etag)
    {
        var maker = DatabaseId;
        foreach (var ancestor in Ancestors)
        {
            if (etag > ancestor.Etag)
                break;
            maker = ancestor.DatabaseId;
        }
        return maker;
    }
}
