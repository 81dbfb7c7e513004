namespace Jackdaw.Server.Http.WebSockets;

/// <summary>A database has as many sockets as it may have; answered with 503.</summary>
internal sealed class TooManySocketsException : Exception
{
    /// <summary>Creates the error.</summary>
    public TooManySocketsException(string database, int limit)
        : base(
            $"The database '{database}' has {limit:N0} sockets of the Changes API, and may have no more "
                + "(ChangesLimits.MaxSocketsPerDatabase, fixed)."
        ) { }
}
