namespace Jackdaw.Etl.Positions;

/// <summary>A position does not fit the database: it counts etags of another one, or of another time. A person must choose where
/// to go on.</summary>
internal sealed class ForeignPositionException : Exception
{
    public ForeignPositionException(string transform, TaskPosition position, Guid databaseId, long lastEtag)
        : base(
            position.DatabaseId == databaseId
                ? $"The position of transform '{transform}' is etag {position.Etag}, "
                    + $"and the database's last one is {lastEtag}: the database is "
                    + "older than the position. Reset the transform or set its position."
                : $"The position of transform '{transform}' counts etags of a "
                    + $"database {position.DatabaseId:D}, which this one ({databaseId:D}) "
                    + "does not come from. Reset the transform or set its position."
        ) { }
}
