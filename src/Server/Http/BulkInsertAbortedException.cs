namespace Jackdaw.Server.Http;

/// <summary>A bulk insert ended before its array did. Says how many documents are stored, durably, all the same.</summary>
public sealed class BulkInsertAbortedException : Exception
{
    /// <summary>Creates the error: how many documents are stored, and why the load ended.</summary>
    public BulkInsertAbortedException(long documents, string why, Exception cause)
        : base($"The bulk insert ended early: {why}. {documents:N0} documents were stored before that and stay.", cause) { }
}
