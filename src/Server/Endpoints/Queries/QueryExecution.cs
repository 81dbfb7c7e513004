using Jackdaw.Documents;
using Jackdaw.Indexing;
using Jackdaw.Indexing.Processes;
using Jackdaw.Indexing.Queries;
using Jackdaw.Indexing.Running;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>
/// A query of a request: the index that answers it, how long that is waited for, and the moments in which it is answered. Ends with
/// Dispose.
/// </summary>
internal sealed class QueryExecution : IDisposable
{
    /// <summary>How long a query waits that does not say how long, and one that has made its index.</summary>
    public static readonly TimeSpan DefaultWait = IndexingLimits.QueryWait;

    private readonly Database _database;
    private readonly RunningQuery _running;
    private readonly ChosenIndex _chosen;
    private long? _waitedFor;

    private readonly long _bodyHash;

    /// <summary>How long the query wants to wait for an answer that is not stale; null: not at all.</summary>
    private readonly TimeSpan? _wait;

    private QueryExecution(Database database, QueryBody body, QueryPlan plan, RunningQuery running, TimeSpan? wait)
    {
        _wait = wait;
        _bodyHash = body.Hash;
        _database = database;
        _running = running;
        _chosen = new ChosenIndex(database, plan, WaitAsync);
    }

    /// <summary>As the chosen index answers it.</summary>
    public QueryPlan Plan => _chosen.Plan;

    public IndexChoice Choice => _chosen.Choice;

    /// <summary>What answers call the index.</summary>
    public string IndexName => NameOf(Choice);

    /// <summary>Cancelled when the client has gone, time is up, the query was killed, or its database or the server stops.</summary>
    public CancellationToken Cancellation => _running.Cancellation;

    /// <summary>Finds the index, or makes it, and waits for it where the query asks for that or has made it.</summary>
    /// <exception cref="QueryTimeoutException">The index has not caught up in the time that the query would wait.</exception>
    /// <exception cref="ServerEndingException">The server stops.</exception>
    /// <exception cref="Jackdaw.Documents.Errors.DatabaseUnavailableException">The database closes.</exception>
    public static async Task<QueryExecution> BeginAsync(RequestContext request, QueryBody body, QueryPlan plan, bool mayWait = true)
    {
        var database = request.Database();
        var running = request.Server.Queries.Begin(database, body.Query, request.Aborted);
        var execution = new QueryExecution(
            database,
            body,
            plan,
            running,
            mayWait && body.WaitsForNonStaleResults ? body.WaitTimeout ?? DefaultWait : null
        );
        try
        {
            await execution._chosen.ChooseAsync(running.Cancellation);
            return execution;
        }
        catch (OperationCanceledException) when (running.Ended() is { } ended)
        {
            execution.Dispose();
            throw ended;
        }
        catch
        {
            execution.Dispose();
            throw;
        }
    }

    /// <summary>Opens the index and the documents at this moment. Before anything was read an index that was replaced meanwhile gives way
    /// to the one that took its place; an answer that has begun goes on over the index that it has kept (<see cref="Keep"/>).</summary>
    public ValueTask<QueryMoment> OpenAsync(string purpose) => _chosen.OpenAsync(purpose, Cancellation);

    /// <summary>Has the index not seen everything that it should have?</summary>
    public bool IsStale(QueryMoment moment) => moment.Index?.IsStale(moment.Documents, _waitedFor) ?? false;

    /// <summary>A number that is another one whenever the answer could be, and for another query.</summary>
    public long ResultEtag(QueryMoment moment) => (moment.ResultEtag(Plan) ^ _bodyHash) & long.MaxValue;

    /// <summary>What a cancelled search means for the client; null: the client has gone.</summary>
    public Exception? Ended() => _running.Ended();

    /// <summary>The answer goes on after this moment, over the same index.</summary>
    public void Keep(QueryMoment moment) => _chosen.Keep(moment);

    public void Dispose()
    {
        _chosen.Dispose();
        _running.Dispose();
    }

    private async Task WaitAsync(IndexChoice choice, CancellationToken cancellation)
    {
        _running.IndexName = NameOf(choice);
        if (choice.Index is not { } index || (_wait is null && !choice.IsNew))
            return;
        long etag;
        using (var documents = _database.OpenRead("waiting for an index"))
            etag = QueryMoment.LastEtagOf(documents, index.Definition.Collection);
        if (await index.WaitForAsync(etag, _wait ?? DefaultWait, cancellation))
            _waitedFor = _wait is null ? null : etag;
        else if (_wait is { } time)
            throw new QueryTimeoutException(
                $"The index '{index.Name}' has not caught up with the etag {etag} within {time.TotalSeconds:0.###} seconds"
                    + $"{await PositionAsync(index)}. Wait longer (WaitForNonStaleResultsTimeout), or accept stale results."
            );
    }

    private string NameOf(IndexChoice choice) => choice.Index?.Name ?? Plan.CollectionName;

    private async Task<string> PositionAsync(Jackdaw.Indexing.Processes.Index index)
    {
        using var reading = await index.OpenReadAsync("how far an index is", Cancellation);
        return $": it has seen {reading.Position}";
    }
}
