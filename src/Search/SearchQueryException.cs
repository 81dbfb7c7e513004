namespace Jackdaw.Search;

/// <summary>A query that cannot be answered; the message says which part, and why.</summary>
public sealed class SearchQueryException(string message, Exception? inner = null) : Exception(message, inner);
