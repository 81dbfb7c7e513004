using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Documents.Watching;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Mapping;
using Jackdaw.Indexing.Registry;

namespace Jackdaw.Indexing.Processes;

/// <summary>An index of a database that is open. Thread-safe.</summary>
public sealed partial class Index
{
    private readonly DatabaseIndexes _owner;
    private readonly Database _database;
    private readonly IndexProcesses _processes;
    private readonly IIndexKind _kind;
    private readonly IIndexMap _map;
    private readonly IndexFollowing _following;
    private readonly string[] _collections;
    private readonly IndexTurn _turn;
    private readonly IndexErrors _errors;
    private readonly IndexCounters _counters = new();
    private readonly IndexWaiters _waiters = new();

    private readonly Lock _lock = new();
    private volatile IndexRecord _record;
    private volatile string _name;
    private volatile IndexFolder? _folder;
    private volatile bool _isPaused;
    private volatile bool _isIdle;

    /// <summary>It is gone, or its database is being closed.</summary>
    private volatile bool _isRetired;
    private volatile Index? _successor;
    private ConsumerPosition _consumer;
    private ChangeWatch? _watch;
    private long _lastUsed;
    private long _lastQueriedTicks;

    internal Index(DatabaseIndexes owner, Database database, IndexProcesses processes, IndexRecord record, string name, IIndexKind kind)
    {
        _owner = owner;
        _database = database;
        _processes = processes;
        _kind = kind;
        _record = record;
        _name = name;
        _map = kind.Compile(record.Definition);
        _collections = [.. kind.Collections(record.Definition)];
        _errors = new IndexErrors(processes.Options.Clock);
        _turn = new IndexTurn(processes.Turns, RunTurn) { Priority = record.Priority };
        _following = new IndexFollowing(FollowedDocuments.Of(database), _collections, _map, _errors, _counters, processes.Options)
        {
            MustEnd = () => _isRetired,
        };
        _lastUsed = processes.Options.Clock.GetTimestamp();
        _consumer = database.Consumers.Register(record.Consumer, record.LowerBound, WantsDeletions);
    }

    /// <summary>As queries name it: <c>Auto/Users/ByName</c>, <c>ReplacementOf/…</c> while it is built beside another one of
    /// its name.</summary>
    public string Name => _name;

    /// <summary>Names its folder. Another one after it was reset or built again.</summary>
    public Guid InstanceId => _record.InstanceId;

    /// <summary>What it holds.</summary>
    public AutoIndexDefinition Definition => _record.Definition;

    /// <summary>As the protocol calls its kind: <c>AutoMap</c>.</summary>
    public string Type => _record.Kind;

    /// <summary>It was made by queries.</summary>
    public bool IsAutomatic => _record.Kind == IndexRecord.AutoMapKind;

    /// <summary>The collections that it reads; empty: all.</summary>
    public IReadOnlyList<string> Collections => _collections;

    /// <summary>Whether it runs, as it is kept; an idle one shows as Idle.</summary>
    public IndexState State => _record.State == IndexState.Normal && _isIdle ? IndexState.Idle : _record.State;

    /// <summary>Why it is in error; null when it is not.</summary>
    public string? StateReason => _record.StateReason;

    /// <summary>Whether it follows the documents at this moment.</summary>
    public IndexRunStatus Status =>
        _record.State != IndexState.Normal ? IndexRunStatus.Disabled
        : IsPaused ? IndexRunStatus.Paused
        : _stopReason is not null ? IndexRunStatus.Pending
        : IndexRunStatus.Running;

    /// <summary>Which index gets a turn first.</summary>
    public IndexPriority Priority => _record.Priority;

    /// <summary>What happens to a changed definition.</summary>
    public IndexLockMode LockMode => _record.LockMode;

    /// <summary>UTC ticks.</summary>
    public long CreatedAtTicks => _record.CreatedTicks;

    /// <summary>An operator has paused it, alone or with all others.</summary>
    public bool IsPaused => _isPaused;

    /// <summary>It is built beside others, and takes their place when it has caught up.</summary>
    public bool IsReplacement => _record.Replaces.Count > 0;

    /// <summary>What keeps it from going on for the moment, such as a full disk; null: nothing.</summary>
    public string? StopReason => _stopReason;

    /// <summary>What went wrong, the oldest first; the newest <see cref="IndexingLimits.MaxErrorRecords"/> are kept.</summary>
    public IReadOnlyList<IndexError> Errors() => _errors.List();

    /// <summary>Forgets what went wrong, and counts failures anew.</summary>
    public void ClearErrors()
    {
        _errors.Clear();
        _counters.ForgetFailures();
    }

    /// <summary>The last batches, the oldest first; the newest <see cref="IndexingLimits.MaxBatchRecords"/> are kept.</summary>
    public IReadOnlyList<IndexBatchRecord> Batches() => _counters.Batches();

    internal IndexRecord Record => _record;

    internal IndexTurn Turn => _turn;

    /// <summary>When it was made, woken or used by a query last, in ticks of the clock.</summary>
    internal long LastUsed => Interlocked.Read(ref _lastUsed);

    internal bool IsIdle => _isIdle;

    /// <summary>Its database closes: nobody's wait can end well any more.</summary>
    internal void EndWaits() => _waiters.Fail(Unavailable, isFinal: true);

    internal bool MayRun => !_isRetired && !_isIdle && !IsPaused && _record.State == IndexState.Normal;

    /// <summary>A collection's changes concern it.</summary>
    internal bool Reads(string collection) =>
        // An index of all documents reads no events: if it held them back it would never pass them.
        _collections.Length == 0
            ? !EventsRoom.IsEvents(collection)
            : Array.Exists(_collections, own => string.Equals(own, collection, StringComparison.OrdinalIgnoreCase));

    /// <summary>Opens its folder, and follows the documents where its state says so.</summary>
    internal void Start()
    {
        FollowState();
        _turn.WakeNow();
    }

    /// <summary>Its record was changed.</summary>
    internal void Adopt(IndexRecord record, string name)
    {
        bool hasNewState = record.State != _record.State;
        _record = record;
        _name = name;
        _turn.Priority = record.Priority;
        if (hasNewState)
            FollowState();
    }

    internal void SetPaused(bool isPaused)
    {
        _isPaused = isPaused;
        _turn.WakeNow();
    }

    /// <summary>Nobody has queried it for long: it stays as it is, and no longer follows the documents.</summary>
    internal void MarkIdle()
    {
        _isIdle = true;
        FollowState();
    }

    /// <summary>A query uses it: an idle one follows the documents again.</summary>
    internal void NoteUsed()
    {
        Interlocked.Exchange(ref _lastUsed, _processes.Options.Clock.GetTimestamp());
        if (!_isIdle)
            return;
        _isIdle = false;
        FollowState();
        _owner.Tell(this, IndexChangeKind.StateChanged);
    }

    /// <summary>A disabled, failed or idle index is not woken, and holds deletions back for a while only.</summary>
    private void FollowState()
    {
        bool runs;
        lock (_lock)
        {
            // Of two threads that come here at once the later one decides.
            runs = _record.State == IndexState.Normal && !_isIdle && !_isRetired;
            _consumer.IsEnabled = runs;
            // Before the turn: what becomes durable in between is seen by it.
            if (runs)
                _watch ??= _database.Watch(WantedKinds, _turn.Wake);
            else
            {
                _watch?.Dispose();
                _watch = null;
            }
        }
        TellDoor();
        if (runs)
            _turn.WakeNow();
        else if (_record.State != IndexState.Normal)
            _waiters.Fail(Unavailable, isFinal: false);
    }

    private ChangeKinds WantedKinds(string collection) => Reads(collection) ? ChangeKinds.All : ChangeKinds.None;

    private bool WantsDeletions(string collection) => Reads(collection);

    /// <summary>The highest etag of a change of its collections.</summary>
    internal long LastChange(DocumentsReader documents) => _following.LastChange(documents);

    /// <summary>Why it cannot be read: the database's own error while that closes.</summary>
    private Exception Unavailable() =>
        _database.Closing.IsCancellationRequested
            ? _database.Unavailable()
            : new IndexUnavailableException(
                Name,
                _isRetired ? "it was deleted."
                    : _record.State == IndexState.Disabled ? "it is disabled. Enable it first."
                    : _record.State == IndexState.Error
                        ? $"it is in error: {_record.StateReason ?? "its errors say why."} Reset it, or enable it to go on."
                    : $"it cannot be opened: {(_stopReason ?? "its errors say why").TrimEnd('.')}. It is tried again by itself."
            );
}
