using Jackdaw.Documents;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Watching;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.EventStreams.Live;

/// <summary>
/// The live readers of an open database and what they follow: its companion (<see cref="Database.Attach"/>). One pass over new events
/// serves all of them. Thread-safe. Its lock is held over no I/O: under it readers are only told positions and woken.
/// </summary>
internal sealed class DatabaseLiveReads : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly Database _database;
    private readonly ServerLiveReads _server;
    private readonly HashSet<LiveReader> _readers = [];
    private readonly HashSet<LiveReader> _ofEverything = [];

    /// <summary>They are woken by deletions in any stream: of a deleted event the tags are not known.</summary>
    private readonly HashSet<LiveReader> _wokenByAnyDeletion = [];
    private readonly LiveWatches _streams = new();
    private readonly LiveWatches _tags = new();
    private readonly LivePass _pass;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ChangeWatch? _watch;
    private long _passed;
    private bool _hasEvents;
    private bool _hasDeletions;
    private bool _isClosed;

    /// <param name="database">Whose.</param>
    /// <param name="server">All live readers of the server.</param>
    public DatabaseLiveReads(Database database, ServerLiveReads server)
    {
        _database = database;
        _server = server;
        _pass = new LivePass(database, this);
    }

    /// <summary>Live readers.</summary>
    public int ReaderCount
    {
        get
        {
            lock (_gate)
                return _readers.Count;
        }
    }

    /// <summary>Everybody has been told of what is at or before this position.</summary>
    public long Passed
    {
        get
        {
            lock (_gate)
                return _passed;
        }
    }

    /// <summary>The name of the database.</summary>
    public string Name => _database.Name;

    /// <summary>Adds a reader. Whatever becomes durable from now on is told to it; before that, it reads on its own.</summary>
    /// <exception cref="DatabaseUnavailableException">The database is being closed.</exception>
    /// <exception cref="TooManyLiveReadersException">It has as many as it may have.</exception>
    public void Add(LiveReader reader)
    {
        lock (_gate)
        {
            if (_isClosed)
                throw new DatabaseDisabledException(_database.Name);
            if (_readers.Count >= _server.Limits.MaxReadersPerDatabase)
                throw new TooManyLiveReadersException(_database.Name, _server.Limits.MaxReadersPerDatabase);
            if (_watch is null)
            {
                _watch = _database.Watch(static name => name == EventsRoom.Collection ? ChangeKinds.All : ChangeKinds.None, _pass.Wake);
                // What becomes durable from now on wakes the pass.
                _passed = Math.Max(_passed, _database.LastDurableEtag);
            }
            _readers.Add(reader);
            var name = 0;
            foreach (var stream in reader.Selection.Streams)
                _streams.Add(stream, new LiveWatch(reader, name++));
            foreach (var tag in reader.Selection.Tags)
                _tags.Add(tag, new LiveWatch(reader, name++));
            if (reader.Selection.IsAll)
                _ofEverything.Add(reader);
            if (reader.Selection.HearsDeletions && (reader.Selection.IsAll || reader.Selection.Tags.Length > 0))
                _wokenByAnyDeletion.Add(reader);
            if (reader.After < _passed)
                reader.FallBehind();
        }
    }

    /// <summary>Removes a reader that has ended.</summary>
    public void Remove(LiveReader reader)
    {
        lock (_gate)
        {
            if (!_readers.Remove(reader))
                return;
            foreach (var stream in reader.Selection.Streams)
                _streams.Remove(stream, reader);
            foreach (var tag in reader.Selection.Tags)
                _tags.Remove(tag, reader);
            _ofEverything.Remove(reader);
            _wokenByAnyDeletion.Remove(reader);
            if (_readers.Count > 0)
                return;
            _watch?.Dispose();
            _watch = null;
            if (_isClosed)
                _ended.TrySetResult();
        }
    }

    /// <summary>What a reader does next, and up to which position it has then given everything.</summary>
    public LiveTask Take(LiveReader reader, out long upTo)
    {
        lock (_gate)
        {
            upTo = _passed;
            return reader.Take();
        }
    }

    /// <summary>Ends when a reader has something to do.</summary>
    public ValueTask WaitAsync(LiveReader reader)
    {
        lock (_gate)
            return reader.WaitAsync();
    }

    /// <summary>A reader's client has gone.</summary>
    public void Leave(LiveReader reader)
    {
        lock (_gate)
            reader.Leave();
        reader.Interrupt();
    }

    /// <summary>An event is durable; called in the order of positions. False: nobody was told yet, as the texts of its
    /// stream and tags have to be learned first.</summary>
    public bool TryTell(in StoredEvent stored)
    {
        lock (_gate)
        {
            if (stored.Position <= _passed)
                return true;
            if (!_streams.TryGet(stored.StreamNumber, out var ofStream))
                return false;
            for (var i = 0; !_tags.IsEmpty && i < stored.TagCount; i++)
            {
                if (!_tags.TryGet(stored.TagNumber(i), out _))
                    return false;
            }
            Tell(ofStream, stored.Position);
            for (var i = 0; !_tags.IsEmpty && i < stored.TagCount; i++)
            {
                _tags.TryGet(stored.TagNumber(i), out var ofTag);
                Tell(ofTag, stored.Position);
            }
            _hasEvents = true;
            _passed = stored.Position;
            return true;
        }
    }

    /// <summary>Looks by their texts for those who follow an event's stream and tags. Texts may come from disk: the lock is not held
    /// while they are read.</summary>
    public void Learn(in StoredEvent stored)
    {
        var id = stored.StreamId;
        lock (_gate)
            _streams.Learn(stored.StreamNumber, id);
        for (var i = 0; i < stored.TagCount; i++)
        {
            var tag = stored.Tag(i);
            lock (_gate)
                _tags.Learn(stored.TagNumber(i), tag);
        }
    }

    /// <summary>Events of a stream have been deleted, durably. Concerns only readers that are woken. False: as
    /// <see cref="TryTell"/>.</summary>
    public bool TryTellDeletion(long position, long streamNumber)
    {
        lock (_gate)
        {
            if (position <= _passed)
                return true;
            if (!_streams.TryGet(streamNumber, out var watches))
                return false;
            foreach (var (reader, _) in watches ?? [])
            {
                if (reader.Selection.HearsDeletions)
                    reader.Tell(position);
            }
            _hasDeletions = true;
            _passed = position;
            return true;
        }
    }

    /// <summary>Likewise for the stream of a deletion.</summary>
    public void LearnStream(long streamNumber, ReadOnlySpan<byte> id)
    {
        lock (_gate)
            _streams.Learn(streamNumber, id);
    }

    /// <summary>A turn of the pass ends. Only now those are told who follow everything: once, however many events there were.</summary>
    /// <param name="position">Everybody has been told of everything up to it; 0: up to the last event.</param>
    public void EndTurn(long position)
    {
        lock (_gate)
        {
            if (_hasEvents)
            {
                foreach (var reader in _ofEverything)
                    reader.Tell(_passed);
            }
            if (_hasDeletions)
            {
                foreach (var reader in _wokenByAnyDeletion)
                    reader.Tell(_passed);
            }
            _hasEvents = _hasDeletions = false;
            _passed = Math.Max(_passed, position);
        }
    }

    /// <summary>New events cannot be read: every reader ends, and its client begins anew.</summary>
    public void Fail(Exception fault) => Finish(LiveEnd.Of(fault));

    /// <summary>Sends heartbeats that are due, and cuts clients that have not read for too long.</summary>
    public void Beat(TimeProvider clock)
    {
        var limits = _server.Limits;
        List<LiveReader>? blocked = null;
        lock (_gate)
        {
            foreach (var reader in _readers)
            {
                reader.Beat(clock, limits.Heartbeat - limits.Beat);
                if (reader.IsBlockedFor(clock, limits.MaxBlockedTime))
                    (blocked ??= []).Add(reader);
            }
        }
        foreach (var reader in blocked ?? [])
            reader.Abort();
        // Heartbeats tell how far everything has been given, also where only documents were written.
        if (Passed < _database.LastDurableEtag)
            _pass.Wake();
    }

    /// <summary>Ends every reader with the reason, and takes no further one.</summary>
    public async ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            if (!_isClosed && _readers.Count == 0)
                _ended.TrySetResult();
            _isClosed = true;
        }
        _pass.Stop();
        Finish(_server.ReasonToEnd(_database.Name));
        try
        {
            await _ended.Task.WaitAsync(_server.Limits.ClosingTime);
        }
        catch (TimeoutException)
        {
            LiveReader[] readers;
            // Only those that have not ended: the connection of another may serve its client's next request.
            lock (_gate)
                readers = [.. _readers];
            foreach (var reader in readers)
                reader.Abort();
            await _ended.Task;
        }
        _server.Forget(this);
    }

    private void Tell(List<LiveWatch>? watches, long position)
    {
        if (watches is null)
            return;
        foreach (var (reader, name) in watches)
        {
            if (!reader.Tell(position, name))
                _server.NoteBehind();
        }
    }

    private void Finish(LiveEnd end)
    {
        LiveReader[] readers;
        lock (_gate)
        {
            readers = [.. _readers];
            foreach (var reader in readers)
                reader.Finish(end);
        }
        foreach (var reader in readers)
            reader.Interrupt();
    }
}
