namespace Jackdaw.Server.Http;

/// <summary>A database has as many live reads as it may have; answered with 503.</summary>
internal sealed class TooManyLiveReadersException : Exception
{
    /// <summary>Creates the error.</summary>
    public TooManyLiveReadersException(string database, int limit)
        : base($"The database '{database}' has {limit:N0} live reads, and may have no more (LiveReadLimits.MaxReadersPerDatabase, fixed).")
    { }
}
