using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Jackdaw.Documents;

namespace Jackdaw.Server.Endpoints.EventStreams.Live;

/// <summary>
/// The live readers of all databases: one timer for all of them, which runs only while there are some. Made and ended by the
/// composition root.
/// </summary>
internal sealed class ServerLiveReads : IAsyncDisposable
{
    private readonly ConcurrentDictionary<DatabaseLiveReads, byte> _databases = new();
    private readonly Lock _gate = new();
    private readonly ITimer _timer;
    private readonly Meter _meter = new("Jackdaw.Events");
    private int _readers;
    private long _behind;
    private bool _isEnding;

    /// <param name="limits">Null: as shipped.</param>
    /// <param name="clock">Null: the system's.</param>
    public ServerLiveReads(LiveReadLimits? limits = null, TimeProvider? clock = null)
    {
        Limits = limits ?? LiveReadLimits.Default;
        Clock = clock ?? TimeProvider.System;
        Turns = new LiveTurns(Limits);
        // By the system's clock: tests call Beat.
        _timer = TimeProvider.System.CreateTimer(
            static self => ((ServerLiveReads)self!).Beat(),
            this,
            Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan
        );
        _meter.CreateObservableGauge("jackdaw.events.live.readers", () => ReaderCount, "{reader}", "Open live reads of event streams.");
        _meter.CreateObservableCounter(
            "jackdaw.events.live.behind",
            () => Interlocked.Read(ref _behind),
            "{reader}",
            "Times that a live reader fell behind because its client did not read."
        );
    }

    /// <summary>Of all live reads.</summary>
    public LiveReadLimits Limits { get; }

    /// <summary>Measures heartbeats.</summary>
    public TimeProvider Clock { get; }

    /// <summary>To read and send while others write.</summary>
    public LiveTurns Turns { get; }

    /// <summary>Says why a database's live reads end. Set by the composition root.</summary>
    public Func<string, LiveEnd> WhyEnded { get; set; } =
        static name => new LiveEnd("DatabaseClosed", $"The database '{name}' has been closed.");

    /// <summary>Live readers of all databases.</summary>
    public int ReaderCount
    {
        get
        {
            lock (_gate)
                return _readers;
        }
    }

    /// <summary>Makes the companion of a database that is being opened.</summary>
    public DatabaseLiveReads Open(Database database)
    {
        var live = new DatabaseLiveReads(database, this);
        _databases[live] = 0;
        return live;
    }

    /// <summary>A reader begins: the timer runs from the first on.</summary>
    public void NoteBegun()
    {
        lock (_gate)
            if (_readers++ == 0 && !_isEnding)
                _timer.Change(Limits.Beat, Limits.Beat);
    }

    /// <summary>A reader has ended.</summary>
    public void NoteEnded()
    {
        lock (_gate)
            if (--_readers == 0 && !_isEnding)
                _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>A reader has fallen behind.</summary>
    public void NoteBehind() => Interlocked.Increment(ref _behind);

    /// <summary>What the last line says to a database's readers.</summary>
    public LiveEnd ReasonToEnd(string database) =>
        _isEnding ? new LiveEnd("ServerStopping", "The server is shutting down.") : WhyEnded(database);

    /// <summary>The companion of a database that has been closed.</summary>
    public void Forget(DatabaseLiveReads live) => _databases.TryRemove(live, out _);

    /// <summary>The server ends: every live read is ended.</summary>
    public async ValueTask DisposeAsync()
    {
        lock (_gate)
            _isEnding = true;
        await Task.WhenAll(_databases.Keys.Select(live => live.DisposeAsync().AsTask()));
        await _timer.DisposeAsync();
        Turns.Dispose();
        _meter.Dispose();
    }

    /// <summary>Looks for heartbeats that are due; the timer's.</summary>
    internal void Beat()
    {
        foreach (var live in _databases.Keys)
            live.Beat(Clock);
    }
}
