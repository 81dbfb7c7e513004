namespace Jackdaw.Indexing.Processes;

/// <summary>The newest errors of an index. Thread-safe.</summary>
internal sealed class IndexErrors(TimeProvider clock)
{
    /// <summary>Characters of a message that are kept.</summary>
    private const int MaxMessageLength = 2000;

    private readonly Lock _lock = new();
    private readonly Queue<IndexError> _errors = new();

    public int Count
    {
        get
        {
            lock (_lock)
                return _errors.Count;
        }
    }

    public void Add(string? document, string action, string message)
    {
        if (message.Length > MaxMessageLength)
            message = message[..MaxMessageLength] + "…";
        lock (_lock)
        {
            if (_errors.Count == IndexingLimits.MaxErrorRecords)
                _errors.Dequeue();
            _errors.Enqueue(new IndexError(clock.GetUtcNow().UtcTicks, document, action, message));
        }
    }

    public IReadOnlyList<IndexError> List()
    {
        lock (_lock)
            return [.. _errors];
    }

    public void Clear()
    {
        lock (_lock)
            _errors.Clear();
    }
}
