using Jackdaw.Documents.Reading;

namespace Jackdaw.Indexing.Processes;

/// <summary>What can be told of an index at little cost, for metrics.</summary>
public sealed partial class Index
{
    /// <summary>Whether it follows the documents at this moment.</summary>
    public bool IsFollowing => MayRun && _stopReason is null;

    /// <summary>What it has done. Reads nothing and waits for nothing.</summary>
    public IndexActivity Activity() =>
        new(_counters.Attempts, _counters.Failures, _counters.Deletions, _counters.Committed, _errors.Count, MemoryBytes());

    /// <summary>Etags from what it has seen to the last change of its collections: an upper bound of the changes that wait; 0: none
    /// does.</summary>
    public long EtagsBehind(DocumentsReader documents)
    {
        ArgumentNullException.ThrowIfNull(documents);
        long last = LastChange(documents);
        return Math.Max(0, last - SeenUpToNow);
    }
}
