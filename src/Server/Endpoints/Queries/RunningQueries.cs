using System.Collections.Concurrent;
using Jackdaw.Documents;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>The queries that are being answered, and the slow ones of late. Thread-safe.</summary>
/// <param name="timeLimit">How long a query may take.</param>
/// <param name="ending">Cancelled when the server stops: each query ends then.</param>
internal sealed class RunningQueries(TimeSpan timeLimit, CancellationToken ending)
{
    /// <summary>How many slow queries are remembered, of all databases together; the oldest go.</summary>
    public const int MaxSlow = 200;

    /// <summary>A query that takes longer is remembered as slow.</summary>
    public static readonly TimeSpan SlowFrom = TimeSpan.FromSeconds(1);

    private readonly ConcurrentDictionary<long, RunningQuery> _running = new();
    private readonly Lock _gate = new();
    private readonly Queue<SlowQuery> _slow = new();
    private long _lastId;

    /// <summary>How long a query may take.</summary>
    public TimeSpan TimeLimit { get; } = timeLimit;

    /// <summary>Cancelled when the server stops.</summary>
    public CancellationToken Ending { get; } = ending;

    /// <summary>Begins a query; it ends with its Dispose.</summary>
    /// <param name="database">Where it is asked.</param>
    /// <param name="text">Its text.</param>
    /// <param name="aborted">Its client has gone.</param>
    public RunningQuery Begin(Database database, string text, CancellationToken aborted)
    {
        var query = new RunningQuery(this, Interlocked.Increment(ref _lastId), database, text, aborted);
        _running[query.Id] = query;
        return query;
    }

    /// <summary>The queries of a database that are being answered, the oldest first.</summary>
    public IReadOnlyList<RunningQuery> Of(string database) =>
        [.. _running.Values.Where(query => IsOf(query.Database.Name, database)).OrderBy(query => query.Id)];

    /// <summary>The slow queries of a database of late, the newest first.</summary>
    public IReadOnlyList<SlowQuery> SlowOf(string database)
    {
        lock (_gate)
            return [.. _slow.Where(query => IsOf(query.Database, database)).Reverse()];
    }

    /// <summary>Ends a query of a database; false when it does not run (any more).</summary>
    public bool Kill(string database, long id)
    {
        if (!_running.TryGetValue(id, out var query) || !IsOf(query.Database.Name, database))
            return false;
        query.Kill();
        return true;
    }

    internal void End(RunningQuery query)
    {
        _running.TryRemove(query.Id, out _);
        var took = query.Duration;
        if (took < SlowFrom)
            return;
        lock (_gate)
        {
            if (_slow.Count == MaxSlow)
                _slow.Dequeue();
            _slow.Enqueue(new SlowQuery(query.Id, query.Database.Name, query.Text, query.IndexName, query.StartedAt, took));
        }
    }

    private static bool IsOf(string one, string other) => string.Equals(one, other, StringComparison.OrdinalIgnoreCase);
}
