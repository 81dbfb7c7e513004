using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Jackdaw.Documents;
using Jackdaw.Indexing.Processes;
using Jackdaw.Server.Endpoints.Operations;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>
/// The sockets of all databases: one timer for all of them, which runs only while there are some, and what they may take
/// together. Made and ended by the
/// composition root.
/// </summary>
internal sealed class ServerChanges : IAsyncDisposable
{
    /// <summary>After so many new sockets the process looks whether its heaps have memory to give back.</summary>
    private const int SocketsOfBurst = 1000;

    private readonly ConcurrentDictionary<DatabaseChanges, byte> _databases = new();
    private readonly Lock _gate = new();
    private readonly ITimer _timer;
    private readonly Meter _meter = new("Jackdaw.Changes");
    private int _sockets;
    private int _opened;
    private bool _isEnding;

    /// <param name="limits">Null: as shipped.</param>
    /// <param name="clock">Null: the system's.</param>
    public ServerChanges(ChangesLimits? limits = null, TimeProvider? clock = null)
    {
        Limits = limits ?? ChangesLimits.Default;
        Memory = new ChangesMemory(Limits.MaxQueuedBytesOfAll);
        _timer = (clock ?? TimeProvider.System).CreateTimer(
            static self => ((ServerChanges)self!).Beat(),
            this,
            Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan
        );
        _meter.CreateObservableGauge(
            "jackdaw.changes.sockets",
            () => _databases.Keys.Sum(d => d.SocketCount),
            "{socket}",
            "Open sockets of the Changes API."
        );
        _meter.CreateObservableGauge(
            "jackdaw.changes.watches",
            () => _databases.Keys.Sum(d => d.WatchCount),
            "{watch}",
            "Watches of all sockets."
        );
        _meter.CreateObservableGauge("jackdaw.changes.queued", () => Memory.TakenBytes, "By", "Notifications that wait for clients.");
        _meter.CreateObservableCounter(
            "jackdaw.changes.lost",
            () => Memory.Lost,
            "{notification}",
            "Notifications dropped because a client did not read."
        );
    }

    /// <summary>Of all sockets.</summary>
    public ChangesLimits Limits { get; }

    /// <summary>What waits for all clients.</summary>
    public ChangesMemory Memory { get; }

    /// <summary>The state of a database's operation; null: there is none. Set by the composition root.</summary>
    public Func<Guid, long, OperationState?> StateOf { get; set; } = static (_, _) => null;

    /// <summary>Says why a database's sockets are closed. Set by the composition root.</summary>
    public Func<string, string> WhyClosed { get; set; } = static name => $"The database '{name}' has been closed.";

    /// <summary>The timer runs.</summary>
    public bool IsBeating
    {
        get
        {
            lock (_gate)
                return _sockets > 0 && !_isEnding;
        }
    }

    /// <summary>Makes the companion of a database that is being opened.</summary>
    /// <param name="database">The database.</param>
    /// <param name="indexes">Its indexes, whose changes are told, too.</param>
    public DatabaseChanges Open(Database database, DatabaseIndexes indexes)
    {
        var changes = new DatabaseChanges(database, this, indexes);
        _databases[changes] = 0;
        return changes;
    }

    /// <summary>An operation of a database has gone on, or ended.</summary>
    public void TellOperation(TrackedOperation operation)
    {
        foreach (var changes in _databases.Keys)
            if (changes.DatabaseId == operation.DatabaseId)
                changes.TellOperation(operation.Id, operation.State);
    }

    /// <summary>A socket has been opened: the timer runs from the first on.</summary>
    public void NoteOpened()
    {
        bool isBurst;
        lock (_gate)
        {
            isBurst = ++_opened % SocketsOfBurst == 0;
            if (_sockets++ == 0 && !_isEnding)
                _timer.Change(Limits.Heartbeat, Limits.Heartbeat);
        }
        // Handshakes leave more behind than sockets keep, and sockets that are idle then bring no collection about.
        if (isBurst)
            KeptMemory.Keeps();
    }

    /// <summary>A socket has ended.</summary>
    public void NoteEnded()
    {
        lock (_gate)
            if (--_sockets == 0 && !_isEnding)
                _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>What the close frame says to a database's sockets.</summary>
    public string ReasonToClose(string database) => _isEnding ? "The server is shutting down." : WhyClosed(database);

    /// <summary>The companion of a database that has been closed.</summary>
    public void Forget(DatabaseChanges changes) => _databases.TryRemove(changes, out _);

    /// <summary>The server ends: every socket is closed.</summary>
    public async ValueTask DisposeAsync()
    {
        lock (_gate)
            _isEnding = true;
        await Task.WhenAll(_databases.Keys.Select(changes => changes.DisposeAsync().AsTask()));
        await _timer.DisposeAsync();
        _meter.Dispose();
    }

    /// <summary>A heartbeat of all sockets; the timer's.</summary>
    internal void Beat()
    {
        foreach (var changes in _databases.Keys)
            changes.Beat();
    }
}
