using System.Collections.Concurrent;

namespace Jackdaw.Server.Endpoints.Operations;

/// <summary>
/// Hands out operation ids and remembers operations: the last <see cref="RememberedOperations"/> of the server, so that a
/// finished state stays readable a while.
/// </summary>
internal sealed class OperationRegistry
{
    public const int RememberedOperations = 4096;

    private readonly ConcurrentDictionary<long, TrackedOperation> _operations = new();
    private long _lastId;

    public long NextId() => Interlocked.Increment(ref _lastId);

    /// <summary>Begins an operation under an id from <see cref="NextId"/>; null when that id is in use.</summary>
    public TrackedOperation? TryBegin(long id, Guid databaseId, OperationProgress progress)
    {
        var operation = new TrackedOperation(id, databaseId, progress);
        if (!_operations.TryAdd(id, operation))
        {
            operation.Dispose();
            return null;
        }
        ForgetOldest();
        return operation;
    }

    /// <summary>Null when there is none of this id in the database, or it was forgotten.</summary>
    public TrackedOperation? Find(long id, Guid databaseId) =>
        _operations.TryGetValue(id, out var operation) && operation.DatabaseId == databaseId ? operation : null;

    private void ForgetOldest()
    {
        if (_operations.Count <= RememberedOperations)
            return;
        var oldest = _operations
            .Where(o => o.Value.State.Status != OperationStatus.InProgress)
            .Select(o => o.Key)
            .Order()
            .Take(RememberedOperations / 4);
        foreach (var id in oldest.ToList())
            if (_operations.TryRemove(id, out var forgotten))
                forgotten.Dispose();
    }
}
