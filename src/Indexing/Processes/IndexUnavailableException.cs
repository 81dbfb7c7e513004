namespace Jackdaw.Indexing.Processes;

/// <summary>An index that cannot answer: it is disabled, in error or gone. The message says which, and what to do.</summary>
public sealed class IndexUnavailableException(string index, string reason) : Exception($"Index '{index}' cannot be queried: {reason}")
{
    /// <summary>The index's name.</summary>
    public string Index { get; } = index;
}
