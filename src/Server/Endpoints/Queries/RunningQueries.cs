using System.Collections.Concurrent;
using Jackdaw.Documents;
using Jackdaw.Server.Endpoints.Operations;

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

    private readonly ConcurrentDictionary<(Guid Database, long Id), RunningQuery> _running = new();
    private readonly Lock _gate = new();
    private readonly Queue<SlowQuery> _slow = new();
    private readonly DatabaseNumbers _ids = new();

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
        var query = new RunningQuery(this, _ids.Next(database.Id), database, text, aborted);
        _running[(database.Id, query.Id)] = query;
        return query;
    }

    /// <summary>The queries of a database that are being answered, the oldest first.</summary>
    public IReadOnlyList<RunningQuery> Of(Database database) =>
        [.. _running.Values.Where(query => query.Database.Id == database.Id).OrderBy(query => query.Id)];

    /// <summary>The slow queries of a database of late, the newest first.</summary>
    public IReadOnlyList<SlowQuery> SlowOf(Database database)
    {
        lock (_gate)
            return [.. _slow.Where(query => query.DatabaseId == database.Id).Reverse()];
    }

    /// <summary>Ends a query of a database; false when it does not run (any more).</summary>
    public bool Kill(Database database, long id)
    {
        if (!_running.TryGetValue((database.Id, id), out var query))
            return false;
        query.Kill();
        return true;
    }

    internal void End(RunningQuery query)
    {
        _running.TryRemove((query.Database.Id, query.Id), out _);
        var took = query.Duration;
        if (took < SlowFrom)
            return;
        lock (_gate)
        {
            if (_slow.Count == MaxSlow)
                _slow.Dequeue();
            _slow.Enqueue(new SlowQuery(query.Id, query.Database.Id, query.Text, query.IndexName, query.StartedAt, took));
        }
    }
}
