using System.Collections.Concurrent;

namespace Jackdaw.Server.Endpoints.Operations;

/// <summary>
/// Hands out operation ids and remembers operations: the last <see cref="RememberedOperations"/> of the server, so that a
/// finished state stays readable a while.
/// </summary>
internal sealed class OperationRegistry
{
    public const int RememberedOperations = 4096;

    private readonly ConcurrentDictionary<(Guid Database, long Id), TrackedOperation> _operations = new();
    private readonly DatabaseNumbers _ids = new();

    /// <summary>Told of each change of an operation's state, its beginning included. Must be quick and must not throw. Set by the
    /// composition root before there is an operation.</summary>
    public Action<TrackedOperation>? Changed { get; set; }

    /// <summary>Returns an id that no operation of the database has. Clients may have chosen ids of their own: those are passed
    /// over.</summary>
    public long NextId(Guid databaseId)
    {
        while (true)
        {
            var id = _ids.Next(databaseId);
            if (!_operations.ContainsKey((databaseId, id)))
                return id;
        }
    }

    /// <summary>Begins an operation under a new id.</summary>
    public TrackedOperation Begin(Guid databaseId, OperationProgress progress)
    {
        while (true)
        {
            if (TryBegin(NextId(databaseId), databaseId, progress) is { } operation)
                return operation;
        }
    }

    /// <summary>Begins an operation under an id from <see cref="NextId"/>, or under one that the client chose. Null when an
    /// operation of the
    /// database has that id.</summary>
    public TrackedOperation? TryBegin(long id, Guid databaseId, OperationProgress progress)
    {
        var operation = new TrackedOperation(id, databaseId, progress, Changed);
        if (!_operations.TryAdd((databaseId, id), operation))
        {
            operation.Dispose();
            return null;
        }
        ForgetOldest();
        Changed?.Invoke(operation);
        return operation;
    }

    /// <summary>Null when there is none of this id in the database, or it was forgotten.</summary>
    public TrackedOperation? Find(long id, Guid databaseId) => _operations.GetValueOrDefault((databaseId, id));

    private void ForgetOldest()
    {
        if (_operations.Count <= RememberedOperations)
            return;
        var oldest = _operations
            .Where(o => o.Value.State.Status != OperationStatus.InProgress)
            .OrderBy(o => o.Value.Started)
            .Select(o => o.Key)
            .Take(RememberedOperations / 4);
        foreach (var id in oldest.ToList())
            if (_operations.TryRemove(id, out var forgotten))
                forgotten.Dispose();
    }
}
