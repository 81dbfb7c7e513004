namespace Jackdaw.Indexing.Running;

/// <summary>A query was ended before its answer was complete, or an index has not caught up in the time that a client would wait.</summary>
public sealed class QueryTimeoutException(string message) : Exception(message);
