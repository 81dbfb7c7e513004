using System.Diagnostics.CodeAnalysis;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Hosting;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Rooms;
using Jackdaw.Documents.Snapshots;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Documents.Watching;
using Jackdaw.Storage.Data;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Documents;

/// <summary>An open database. Thread-safe. After it was disabled or deleted every member that reads or writes throws a
/// <see cref="DatabaseUnavailableException"/>.</summary>
[SuppressMessage(
    "Design",
    "CA1001:Types that own disposable fields should be disposable",
    Justification = "The source of Closing is cancelled, not disposed: it has no timer, and whoever comes late still asks for its token."
)]
public sealed partial class Database
{
    private static readonly TimeSpan s_recently = TimeSpan.FromSeconds(1);

    private readonly DatabaseHost _host;
    private readonly Func<long> _sizeBytes;
    private readonly DatabaseUses _uses = new();
    private readonly Action<ReadTransaction> _endRead;
    private readonly ReaderPool _readers;
    private readonly ReaderAges _readerAges;
    private readonly Func<DocumentsReader, IPresentedDocuments> _presentEvents;
    private readonly List<IAsyncDisposable> _companions = [];
    private DatabaseUnavailableException? _unavailable;
    private readonly IReadOnlyList<Room> _rooms;
    private readonly CancellationTokenSource _closing = new();
    private bool _wantsTraces;

    internal Database(
        DatabaseRecord record,
        DatabasesOptions options,
        Guid serverId,
        DatabaseHost host,
        ConsumerPositions consumers,
        Func<long> sizeBytes,
        SideFolders sideFolders
    )
    {
        ServerId = serverId;
        Name = record.Name;
        Id = record.Id;
        IdText = ChangeVector.DatabaseIdText(record.Id);
        NodeTag = options.NodeTag;
        Limits = options.Limits;
        Clock = options.Clock;
        _rooms = options.Rooms;
        Consumers = consumers;
        _host = host;
        _sizeBytes = sizeBytes;
        _sideFolders = sideFolders;
        Ancestors = DatabaseFormat.ReadHistory(host.Storage);
        _presentEvents = reader => new EventDocuments(reader.Of(EventsRoom.Instance), host.ChangeVectors);
        _readers = new ReaderPool(host.Storage);
        _endRead = EndRead;
        _readerAges = new ReaderAges(options.Clock, options.Limits, () => HasRecentForegroundWrites);
    }

    /// <summary>In the casing of its creation.</summary>
    public string Name { get; }

    /// <summary>The database id: part of change vectors, and never reused for another database.</summary>
    public Guid Id { get; }

    /// <summary>The id as change vectors carry it: 22 characters of base64.</summary>
    public string IdText { get; }

    /// <summary>Tells the time to what works on the database.</summary>
    public TimeProvider Clock { get; }

    /// <summary>Of the server's data folder (<see cref="Databases.ServerId"/>): a copy of the database in another folder has
    /// another one.</summary>
    public Guid ServerId { get; }

    /// <summary>The tag of the server's node: capital letters, part of generated ids and change vectors.</summary>
    public string NodeTag { get; }

    /// <summary>What this database is a copy of, the nearest first; empty for one that was created.</summary>
    public IReadOnlyList<DatabaseAncestor> Ancestors { get; }

    /// <summary>The limits that this database enforces.</summary>
    public Limits Limits { get; }

    /// <summary>How far each consumer of changes (an index, a task) has come; tombstones are kept until all have seen them.</summary>
    public ConsumerPositions Consumers { get; }

    /// <summary>
    /// Hands an operation to the transaction merger; the task ends when its outcome is durable. The operation's results are then
    /// in the operation.
    /// While nobody else is at work in the database, this thread executes the operation and writes the journal before this returns, and
    /// the task is complete then (docs/decisions/0058-turns-of-callers.md): hold no lock while you submit.
    /// Await it exactly once. Continuations run on the thread pool, several callers' one after another: do not block in them.
    /// Errors: an <see cref="OperationException"/> (this operation alone was refused), <see cref="MergerQueueFullException"/>
    /// (thrown at once),
    /// <see cref="Storage.Errors.CommitOutcomeUnknownException"/>, <see cref="Storage.Errors.EnvironmentPoisonedException"/>,
    /// <see cref="DatabaseUnavailableException"/>.
    /// </summary>
    public ValueTask SubmitAsync(MergedOperation operation)
    {
        if (operation is RoomOperation { Room: { HasStructures: true } room } && !_rooms.Contains(room))
            throw new ArgumentException($"The room '{room.Name}' is not registered (DatabasesOptions.Rooms).", nameof(operation));
        return _host.Merger.Submit(operation);
    }

    /// <summary>
    /// Somebody who does not write in the background (<see cref="MergedOperation.IsBackground"/>) has written a moment ago: a
    /// load should hold back.
    /// </summary>
    public bool HasRecentForegroundWrites => _host.Merger.HadForegroundWithin(s_recently);

    /// <summary>Cancelled when the database begins to close: whoever waits for something in it ends then, with
    /// <see cref="Unavailable"/>.</summary>
    public CancellationToken Closing => _closing.Token;

    /// <summary>Makes the error of whoever comes while the database closes, or later: a <see cref="DatabaseDisabledException"/>, or a
    /// <see cref="DatabaseDoesNotExistException"/> when it is deleted. Thrown to many: each gets one of its own.</summary>
    public DatabaseUnavailableException Unavailable() =>
        Volatile.Read(ref _unavailable) is DatabaseDoesNotExistException
            ? new DatabaseDoesNotExistException(Name)
            : new DatabaseDisabledException(Name);

    /// <summary>Pages that are not in the data file yet, over what they may take. From three quarters on the merger slows down, so a load
    /// holds back before.</summary>
    public double ScratchPressure => _host.Storage.ScratchPressure;

    /// <summary>The uploads and downloads of snapshots under way.</summary>
    public SnapshotTraffic Snapshots => _host.Snapshots;

    /// <summary>Opens a reader at the last durable transaction.</summary>
    /// <param name="purpose">Names the reader in statistics, e.g. "GET /docs".</param>
    public DocumentsReader OpenRead(string purpose)
    {
        if (!_uses.TryEnter())
            throw Unavailable();
        try
        {
            return new DocumentsReader(_readers.Begin(purpose), _endRead, _readerAges, _presentEvents);
        }
        catch
        {
            _uses.Leave();
            throw;
        }
    }

    /// <summary>The longest that any reader has lasted since the database was opened.</summary>
    public TimeSpan LongestRead => _readerAges.Longest;

    /// <summary>Readers that have ended since the database was opened.</summary>
    public long ReadersEnded => _readerAges.Count;

    /// <summary>Counts of documents, tombstones and collections at the last durable transaction.</summary>
    public DatabaseStatistics Statistics()
    {
        using var reader = OpenRead("statistics");
        var merger = _host.Merger.Statistics;
        long lastEtag = reader.LastEtag;
        return new DatabaseStatistics(
            reader.DocumentCount,
            reader.TombstoneCount,
            reader.LastDocumentEtag,
            lastEtag,
            lastEtag == 0 ? "" : $"{NodeTag}:{lastEtag}-{IdText}",
            _sizeBytes(),
            reader.IdentityCount,
            merger.WaitingOperations,
            merger.WaitingBytes,
            reader.Collections()
        );
    }

    /// <summary>Does somebody want to know whose request made a change? Only then is it worth storing
    /// (<see cref="MergedOperation.Trace"/>).</summary>
    public bool WantsTraces
    {
        get => Volatile.Read(ref _wantsTraces);
        set => Volatile.Write(ref _wantsTraces, value);
    }

    /// <summary>Something that works on this database for as long as it is open: it is disposed of before the database closes.
    /// Only while <see cref="DatabasesOptions.Opened"/> runs.</summary>
    public void Attach(IAsyncDisposable companion)
    {
        ArgumentNullException.ThrowIfNull(companion);
        _companions.Add(companion);
    }

    /// <summary>The companion of a type; null when none was attached.</summary>
    public T? Attached<T>()
        where T : class, IAsyncDisposable => _companions.OfType<T>().FirstOrDefault();

    /// <summary>The highest etag that is durable.</summary>
    public long LastDurableEtag => _host.Merger.LastDurableEtag;

    /// <summary>Why writes are refused until the database is disabled and enabled again (which recovers it); null while they are
    /// not.</summary>
    public Exception? Poison => _host.Storage.Poison;

    /// <summary>A page was found damaged while rows of replaced documents were to be removed: they stay, and everything else goes
    /// on. Null: none was.</summary>
    public Exception? TidyingFault => _host.Merger.TidyingFault;

    /// <summary>Returns the pages that were found damaged since the database was opened. Operations and readers that need one
    /// of them fail; others go on.</summary>
    public IReadOnlyList<DamagedPage> DamagedPages => _host.Storage.DamagedPages;

    /// <summary>
    /// Wakes a consumer when a transaction that does something it wants has become durable, after the transaction's callers were
    /// answered. Waking carries nothing: read forward by etag from your own position. What became durable before this returned
    /// wakes nobody, so read once afterwards.
    /// </summary>
    /// <param name="wants">What the consumer wants of a collection, by the collection's name; asked once for each collection in
    /// which something happens. Null: everything.</param>
    /// <param name="woken">Called on the thread pool. Must be quick and must not throw. Several transactions may share one call,
    /// and calls may overlap.</param>
    public ChangeWatch Watch(Func<string, ChangeKinds>? wants, Action woken)
    {
        ArgumentNullException.ThrowIfNull(woken);
        return _host.Watchers.Watch(wants, woken);
    }

    internal DatabaseHost Host => _host;

    /// <summary>Refuses whatever comes from now on, ends what was begun, waits for the readers, closes the environment.</summary>
    internal async Task CloseAsync(DatabaseUnavailableException reason)
    {
        // Not let go again: when its consumers have left, nothing shows whom the tombstones wait for.
        _ = Consumers.HoldCleaning();
        Volatile.Write(ref _unavailable, reason);
        await _closing.CancelAsync().ConfigureAwait(false);
        // First: what they have in hand may end well only while the database still takes writes.
        try
        {
            foreach (var companion in _companions)
                await companion.DisposeAsync().ConfigureAwait(false);
        }
        finally
        {
            await CloseItselfAsync(reason).ConfigureAwait(false);
        }
    }

    private async Task CloseItselfAsync(DatabaseUnavailableException reason)
    {
        await CloseEnvironmentsAsync().ConfigureAwait(false);
        _uses.BeginClosing();
        _host.BeginClose(reason);
        await _uses.Ended.ConfigureAwait(false);
        _readers.Dispose();
        // Joining threads blocks: not on a thread that others wait for.
        await Task
            .Factory.StartNew(_host.EndClose, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)
            .ConfigureAwait(false);
    }

    private void EndRead(ReadTransaction transaction)
    {
        _readers.End(transaction);
        _uses.Leave();
    }
}
