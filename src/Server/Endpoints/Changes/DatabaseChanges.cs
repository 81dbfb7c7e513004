using System.Globalization;
using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Processes;
using Jackdaw.Server.Endpoints.Operations;
using Jackdaw.Server.Http.WebSockets;

namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>
/// The sockets of an open database and what they watch: its companion (<see cref="Database.Attach"/>). Thread-safe. Its lock is
/// held over no I/O:
/// what is to be sent is only queued under it, so that confirmations and notifications come in order.
/// </summary>
internal sealed class DatabaseChanges : IAsyncDisposable
{
    /// <summary>Characters of the lower case of an id: no more than its bytes.</summary>
    private const int MaxIdChars = Jackdaw.Documents.Limits.MaxIdBytes * 3 / 2;

    private readonly Lock _gate = new();
    private readonly Database _database;
    private readonly ServerChanges _server;
    private readonly HashSet<ChangesSocket> _sockets = [];
    private readonly WatchTable _watches = new();
    private readonly DocumentChangesReading _documents;
    private readonly IDisposable _indexes;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _told;
    private bool _isClosed;

    /// <param name="database">Whose.</param>
    /// <param name="server">All sockets of the server.</param>
    /// <param name="indexes">Of the database.</param>
    public DatabaseChanges(Database database, ServerChanges server, DatabaseIndexes indexes)
    {
        _database = database;
        _server = server;
        _documents = new DocumentChangesReading(database, this);
        _indexes = IndexNotifications.Follow(indexes, this);
    }

    /// <summary>Of the database.</summary>
    public Guid DatabaseId => _database.Id;

    /// <summary>Open sockets.</summary>
    public int SocketCount
    {
        get
        {
            lock (_gate)
                return _sockets.Count;
        }
    }

    /// <summary>Watches of all sockets.</summary>
    public int WatchCount
    {
        get
        {
            lock (_gate)
                return _watches.Count;
        }
    }

    /// <summary>The most heartbeats since a client was heard of.</summary>
    public int LongestSilence
    {
        get
        {
            lock (_gate)
                return _sockets.Count == 0 ? 0 : _sockets.Max(socket => socket.SilentHeartbeats);
        }
    }

    private ChangesLimits Limits => _server.Limits;

    /// <summary>Refuses a socket before its handshake.</summary>
    /// <exception cref="DatabaseUnavailableException">The database is being closed.</exception>
    /// <exception cref="TooManySocketsException">It has as many as it may have.</exception>
    public void RequireRoom()
    {
        lock (_gate)
        {
            if (_isClosed)
                throw new DatabaseDisabledException(_database.Name);
            if (_sockets.Count >= Limits.MaxSocketsPerDatabase)
                throw new TooManySocketsException(_database.Name, Limits.MaxSocketsPerDatabase);
        }
    }

    /// <summary>Adds a socket that has just been opened. One that comes too late is closed.</summary>
    public void Add(ChangesSocket socket)
    {
        lock (_gate)
        {
            if (!_isClosed && _sockets.Count < Limits.MaxSocketsPerDatabase)
            {
                _sockets.Add(socket);
                socket.Answer(ChangesMessages.Features);
                return;
            }
        }
        socket.Close(WebSocketCloseCode.GoingAway, _server.ReasonToClose(_database.Name));
    }

    /// <summary>Removes a socket that has ended, with its watches.</summary>
    public void Remove(ChangesSocket socket)
    {
        lock (_gate)
        {
            if (!_sockets.Remove(socket))
                return;
            foreach (var watch in socket.Watches ?? [])
                _watches.Remove(watch, socket);
            socket.Watches = null;
            FollowDocuments();
            if (_isClosed && _sockets.Count == 0)
                _ended.TrySetResult();
        }
    }

    /// <summary>Carries a command out, and confirms it before anything that follows from it is told.</summary>
    /// <exception cref="ChangesCommandException">A limit of watches is reached.</exception>
    public void Handle(ChangesSocket socket, ChangesCommand command)
    {
        lock (_gate)
        {
            if (!_sockets.Contains(socket))
                return;
            if (command.IsUnwatch)
                Unwatch(socket, command.Watch);
            else
                Watch(socket, command);
            socket.Answer(ChangesMessages.Confirmation(command.Id));
            if (command is { IsUnwatch: false, Watch.Kind: WatchKind.Operation })
                TellPresentState(socket, command.Watch.Name);
        }
    }

    /// <summary>A document has changed, durably. Called in the order of etags.</summary>
    public void Tell(in DocumentChange change)
    {
        Span<char> id = stackalloc char[MaxIdChars];
        var lowerId = change.IsTombstone ? change.Tombstone.LowerId : change.Document.LowerId;
        id = id[..Encoding.UTF8.GetChars(lowerId, id)];
        var collection = change.IsTombstone ? change.Tombstone.Collection : change.Document.Collection;
        lock (_gate)
        {
            var notice = new Notice(change, ++_told);
            notice.Tell(_watches.Of(WatchKind.AllDocuments));
            notice.Tell(_watches.Of(WatchKind.Document, id));
            if (_watches.Has(WatchKind.Collection))
                notice.Tell(_watches.Of(WatchKind.Collection, ChangesCommand.Lower(Encoding.UTF8.GetString(collection))));
            foreach (var length in _watches.PrefixLengths)
            {
                if (length > id.Length)
                    break;
                notice.Tell(_watches.Of(WatchKind.Prefix, id[..length]));
            }
        }
    }

    /// <summary>Whatever a cached answer shows may have changed.</summary>
    public void TellCacheChange()
    {
        lock (_gate)
            foreach (var watcher in _watches.Of(WatchKind.AggressiveCaching))
                watcher.Socket.NotifyCacheChange();
    }

    /// <summary>An index has changed.</summary>
    /// <param name="name">Of the index.</param>
    /// <param name="change">In the words of the protocol.</param>
    /// <param name="changesAnswers">Answers of queries may be others now.</param>
    public void TellIndex(string name, string change, bool changesAnswers)
    {
        lock (_gate)
        {
            var one = _watches.Of(WatchKind.Index, ChangesCommand.Lower(name));
            var all = _watches.Of(WatchKind.AllIndexes);
            if (one.Length + all.Length > 0)
                TellOnce(ChangesMessages.Index(name, change), one, all);
        }
        if (changesAnswers)
            TellCacheChange();
    }

    /// <summary>An operation has gone on, or ended.</summary>
    public void TellOperation(long id, OperationState state)
    {
        lock (_gate)
        {
            var one = _watches.Of(WatchKind.Operation, id.ToString(CultureInfo.InvariantCulture));
            var all = _watches.Of(WatchKind.AllOperations);
            if (one.Length + all.Length > 0)
                TellOnce(ChangesMessages.Operation(id, state), one, all);
        }
    }

    /// <summary>Changes cannot be read: whoever watches documents is told so, and has to begin anew.</summary>
    public void Fail(Exception fault)
    {
        lock (_gate)
        {
            foreach (var socket in _sockets)
            {
                if (socket.Watches?.Any(watch => watch.IsOfDocuments || watch.Kind == WatchKind.AggressiveCaching) != true)
                    continue;
                socket.Answer(ChangesMessages.Error($"Changes of documents cannot be read: {fault.Message}"));
                socket.Close(WebSocketCloseCode.InternalError, "Changes of documents cannot be read.");
            }
        }
    }

    /// <summary>A heartbeat of all sockets.</summary>
    public void Beat()
    {
        ChangesSocket[] sockets;
        lock (_gate)
            sockets = [.. _sockets];
        foreach (var socket in sockets)
            socket.Beat();
    }

    /// <summary>Ends every socket with the reason, and takes no further one.</summary>
    public async ValueTask DisposeAsync()
    {
        _indexes.Dispose();
        ChangesSocket[] sockets;
        lock (_gate)
        {
            if (!_isClosed && _sockets.Count == 0)
                _ended.TrySetResult();
            _isClosed = true;
            _documents.Stop();
            sockets = [.. _sockets];
        }
        var reason = sockets.Length > 0 ? _server.ReasonToClose(_database.Name) : "";
        foreach (var socket in sockets)
            socket.Close(WebSocketCloseCode.GoingAway, reason);
        try
        {
            await _ended.Task.WaitAsync(Limits.ClosingTime);
        }
        catch (TimeoutException)
        {
            foreach (var socket in sockets)
                socket.Abort();
            await _ended.Task;
        }
        _server.Forget(this);
    }

    private void Watch(ChangesSocket socket, ChangesCommand command)
    {
        if (socket.Watches?.Contains(command.Watch) == true)
            return;
        if (socket.Watches?.Count >= Limits.MaxWatchesPerSocket)
            throw new ChangesCommandException(
                $"A socket watches at most {Limits.MaxWatchesPerSocket:N0} things (ChangesLimits.MaxWatchesPerSocket, fixed).",
                command.Id
            );
        if (_watches.Count >= Limits.MaxWatchesPerDatabase)
            throw new ChangesCommandException(
                $"The sockets of the database '{_database.Name}' watch at most {Limits.MaxWatchesPerDatabase:N0} things together "
                    + "(ChangesLimits.MaxWatchesPerDatabase, fixed).",
                command.Id
            );
        (socket.Watches ??= []).Add(command.Watch);
        _watches.Add(command.Watch, new Watcher(socket, _database.LastDurableEtag));
        FollowDocuments();
    }

    private void Unwatch(ChangesSocket socket, Watch watch)
    {
        if (socket.Watches?.Remove(watch) != true)
            return;
        _watches.Remove(watch, socket);
        FollowDocuments();
    }

    private void TellPresentState(ChangesSocket socket, string operation)
    {
        var id = long.Parse(operation, CultureInfo.InvariantCulture);
        if (_server.StateOf(_database.Id, id) is { } state)
            socket.Notify(ChangesMessages.Operation(id, state));
    }

    private void FollowDocuments() =>
        _documents.Follow(_watches.DocumentWatches > 0, _watches.Of(WatchKind.AggressiveCaching).Length > 0 && !_isClosed);

    private void TellOnce(byte[] json, ReadOnlySpan<Watcher> one, ReadOnlySpan<Watcher> all)
    {
        _told++;
        foreach (var watcher in one)
            Tell(watcher.Socket, json);
        foreach (var watcher in all)
            Tell(watcher.Socket, json);
    }

    private void Tell(ChangesSocket socket, byte[] json)
    {
        if (socket.LastTold == _told)
            return;
        socket.LastTold = _told;
        socket.Notify(json);
    }
}
