namespace Jackdaw.Indexing.Running;

/// <summary>A query would keep more in memory than a query may.</summary>
public sealed class QueryTooLargeException(string message) : Exception(message);
