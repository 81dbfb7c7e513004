using System.Diagnostics;
using Jackdaw.Documents;
using Jackdaw.Indexing.Running;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>A query that is being answered: what it is, and what ends it before its time.</summary>
internal sealed class RunningQuery : IDisposable
{
    /// <summary>Characters of a query's text that are remembered.</summary>
    private const int MaxTextLength = 4096;

    private readonly RunningQueries _owner;
    private readonly CancellationTokenSource _end;
    private readonly CancellationToken _aborted;
    private readonly long _began = Stopwatch.GetTimestamp();
    private int _isKilled;

    public RunningQuery(RunningQueries owner, long id, Database database, string text, CancellationToken aborted)
    {
        _owner = owner;
        _aborted = aborted;
        Id = id;
        Database = database;
        Text = text.Length <= MaxTextLength ? text : text[..MaxTextLength] + "…";
        _end = CancellationTokenSource.CreateLinkedTokenSource(aborted, database.Closing, owner.Ending);
        _end.CancelAfter(owner.TimeLimit);
    }

    public long Id { get; }

    public Database Database { get; }

    public string Text { get; }

    public DateTime StartedAt { get; } = DateTime.UtcNow;

    /// <summary>The index that it asks, or the collection that it reads; empty until it is chosen.</summary>
    public string IndexName { get; set; } = "";

    public TimeSpan Duration => Stopwatch.GetElapsedTime(_began);

    public bool IsKilled => Volatile.Read(ref _isKilled) != 0;

    /// <summary>Cancelled when the client has gone, time is up, an operator has killed the query, or its database or the server
    /// stops.</summary>
    public CancellationToken Cancellation => _end.Token;

    /// <summary>Ends the query: its client gets an error that says so.</summary>
    public void Kill()
    {
        Volatile.Write(ref _isKilled, 1);
        try
        {
            _end.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // It has ended meanwhile by itself.
        }
    }

    /// <summary>What a cancelled search means for the client; null: the client has gone, and nobody reads the answer.</summary>
    public Exception? Ended() =>
        IsKilled ? new QueryTimeoutException($"The query was killed by an operator after {Duration.TotalSeconds:N1} seconds.")
        : _aborted.IsCancellationRequested ? null
        : _owner.Ending.IsCancellationRequested ? new ServerEndingException(Database.Name)
        : Database.Closing.IsCancellationRequested ? Database.Unavailable()
        : new QueryTimeoutException(
            $"The query took longer than {_owner.TimeLimit.TotalSeconds:N0} seconds and was ended (limit: Databases.QueryTimeoutInSec)."
        );

    public void Dispose()
    {
        _owner.End(this);
        _end.Dispose();
    }
}
