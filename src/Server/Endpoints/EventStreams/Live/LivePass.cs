using Jackdaw.Documents;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Watching;

namespace Jackdaw.Server.Endpoints.EventStreams.Live;

/// <summary>
/// The one pass over a database's new events, for all of its live readers: woken by transactions that have become durable, on the
/// thread pool, one turn at a time. It looks at each event once and tells those who follow it the position; they read it themselves.
/// </summary>
internal sealed class LivePass
{
    /// <summary>After so many events and deletions others get the thread, and those who follow everything are told.</summary>
    private const int EventsPerTurn = 1024;

    private readonly Database _database;
    private readonly DatabaseLiveReads _live;
    private readonly WokenTurns _turns;

    /// <param name="database">Whose events.</param>
    /// <param name="live">Told of them.</param>
    public LivePass(Database database, DatabaseLiveReads live)
    {
        _database = database;
        _live = live;
        _turns = new WokenTurns(TryTurn);
    }

    /// <summary>There may be new events. Quick; never throws.</summary>
    public void Wake() => _turns.Wake();

    /// <summary>Ends it for good. A turn that has begun may still go on until it meets the closing database.</summary>
    public void Stop() => _turns.Stop();

    private bool TryTurn()
    {
        try
        {
            return Turn();
        }
        catch (DatabaseUnavailableException)
        {
            // It is being closed, and its live reads with it.
            return false;
        }
        catch (Exception e)
        {
            // Whatever it is: it goes no further than to those who read this database live, who are told.
            _live.Fail(e);
            return false;
        }
    }

    /// <summary>True: there is more.</summary>
    private bool Turn()
    {
        var after = _live.Passed;
        using var reader = _database.OpenRead("GET /events/live (all readers)");
        using var events = new EventStreamsReader(reader);
        using var deletions = events.OpenDeletions(after);
        var cursor = events.OpenAll(after);
        var hasEvent = cursor?.MoveNext() == true;
        var hasDeletion = deletions?.MoveNext() == true;
        for (var left = EventsPerTurn; hasEvent || hasDeletion; left--)
        {
            if (left == 0 || reader.IsDue)
            {
                _live.EndTurn(position: 0);
                return true;
            }
            if (hasEvent && (!hasDeletion || cursor!.Position < deletions!.Position))
            {
                Tell(cursor!);
                hasEvent = cursor!.MoveNext();
            }
            else
            {
                Tell(events, deletions!);
                hasDeletion = deletions!.MoveNext();
            }
        }
        _live.EndTurn(reader.LastEtag);
        return false;
    }

    private void Tell(EventCursor cursor)
    {
        var stored = cursor.Current;
        while (!_live.TryTell(stored))
            _live.Learn(stored);
    }

    private void Tell(EventStreamsReader events, EventDeletionCursor deletions)
    {
        var stream = deletions.StreamNumber;
        while (!_live.TryTellDeletion(deletions.Position, stream))
            _live.LearnStream(stream, events.IdOf(stream));
    }
}
