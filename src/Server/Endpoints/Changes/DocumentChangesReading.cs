using Jackdaw.Documents;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Documents.Watching;

namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>
/// Reads a database's changes forward by etag while somebody watches documents: woken by transactions that have become durable,
/// on the thread pool, one
/// reader at a time. A consumer like others: tombstones that it has not read are kept for it.
/// </summary>
internal sealed class DocumentChangesReading
{
    /// <summary>Its name among the consumers of the database's changes.</summary>
    private const string Consumer = "changes-api";

    /// <summary>After so many changes others get the thread.</summary>
    private const int ChangesPerTurn = 4096;

    private readonly Lock _gate = new();
    private readonly Database _database;
    private readonly DatabaseChanges _changes;
    private readonly WokenTurns _turns;
    private ChangeWatch? _watch;
    private ConsumerPosition? _position;

    /// <summary>The last etag that was told.</summary>
    private long _etag;

    /// <summary>Documents are watched, not only that something has changed.</summary>
    private bool _readsDocuments;

    /// <summary>Something has become durable since it was last told that something has changed.</summary>
    private bool _hasChanged;
    private bool _isStopped;

    /// <param name="database">Whose changes.</param>
    /// <param name="changes">Told of them.</param>
    public DocumentChangesReading(Database database, DatabaseChanges changes)
    {
        _database = database;
        _changes = changes;
        _turns = new WokenTurns(Turn);
    }

    /// <summary>Begins and ends as watches come and go. Calls must not overlap.</summary>
    /// <param name="documents">Somebody watches documents.</param>
    /// <param name="anything">Somebody wants to know that something has changed.</param>
    public void Follow(bool documents, bool anything)
    {
        lock (_gate)
        {
            if (_isStopped)
                return;
            if (documents && !_readsDocuments)
                Register();
            else if (!documents && _readsDocuments)
                Leave();
            var begins = documents && !_readsDocuments;
            _readsDocuments = documents;
            if ((documents || anything) && _watch is null)
            {
                _watch = _database.Watch(wants: null, NoteChange);
                // What has become durable in between wakes nobody.
                _turns.Wake();
            }
            else if (begins)
            {
                _turns.Wake();
            }
            else if (!documents && !anything && _watch is not null)
            {
                _watch.Dispose();
                _watch = null;
            }
        }
    }

    /// <summary>Ends for good. A turn that has begun may still go on until it meets the closing database.</summary>
    public void Stop()
    {
        lock (_gate)
        {
            _isStopped = true;
            _turns.Stop();
            _watch?.Dispose();
            _watch = null;
            Leave();
        }
    }

    private bool Turn()
    {
        var hasMore = false;
        try
        {
            if (Take(out var hasChanged) is { } etag)
                hasMore = Read(etag);
            if (hasChanged)
                _changes.TellCacheChange();
        }
        catch (DatabaseUnavailableException)
        {
            // It is being closed, and its sockets with it.
        }
        catch (Exception e)
        {
            // Whatever it is: it goes no further than to those who watch this database, who are told.
            _changes.Fail(e);
        }
        return hasMore;
    }

    private void Register()
    {
        // What a cleaning that has begun may still take was deleted before the first watch.
        using var hold = _database.Consumers.HoldCleaning();
        _etag = _database.LastDurableEtag;
        _position = _database.Consumers.Register(Consumer, _etag);
    }

    private void Leave()
    {
        _position?.Dispose();
        _position = null;
    }

    private void NoteChange()
    {
        lock (_gate)
            _hasChanged = true;
        _turns.Wake();
    }

    /// <summary>Where to read on; null: nobody watches documents.</summary>
    private long? Take(out bool hasChanged)
    {
        lock (_gate)
        {
            hasChanged = _hasChanged;
            _hasChanged = false;
            return _readsDocuments && !_isStopped ? _etag : null;
        }
    }

    /// <summary>True: there is more.</summary>
    private bool Read(long etag)
    {
        var sawDeletion = false;
        bool hasMore;
        using (var reader = _database.OpenRead("changes"))
        {
            var cursor = reader.Changes(etag);
            var left = ChangesPerTurn;
            while (left > 0 && !reader.IsDue && cursor.MoveNext())
            {
                _changes.Tell(cursor.Current);
                etag = cursor.CurrentEtag;
                sawDeletion |= cursor.IsCurrentTombstone;
                left--;
            }
            // It ended at its end, unless it was stopped.
            hasMore = left == 0 || reader.IsDue;
        }
        lock (_gate)
        {
            _etag = Math.Max(_etag, etag);
            // Only then: moving wakes whoever cleans, which would be for nothing.
            if (sawDeletion && _position is { } position)
                position.Etag = _etag;
        }
        return hasMore;
    }
}
