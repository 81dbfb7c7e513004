using Jackdaw.Documents;
using Jackdaw.Documents.Errors;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Mapping;
using Jackdaw.Indexing.Registry;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Indexing.Processes;

/// <summary>
/// The indexes of a database that is open: its companion (<see cref="Documents.Database.Attach"/>). Thread-safe. What changes them is
/// durable when its task ends. Errors of every change: those of <see cref="Database.SubmitAsync"/>.
/// </summary>
public sealed partial class DatabaseIndexes : IAsyncDisposable
{
    private readonly Database _database;
    private readonly IndexProcesses _processes;

    /// <summary>One change of the indexes after another. A turn never waits for it.</summary>
    private readonly SemaphoreSlim _changes = new(1);
    private readonly Lock _lock = new();
    private volatile Index[] _all = [];
    private volatile bool _isPaused;
    private volatile bool _isClosing;

    private DatabaseIndexes(Database database, IndexProcesses processes)
    {
        _database = database;
        _processes = processes;
        _idleTimer = processes.Options.Clock.CreateTimer(_ => LookForIdle(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>All indexes, also those that are built beside others, by name.</summary>
    public IReadOnlyList<Index> All => _all;

    /// <summary>An operator has paused all of them; one of them may have been resumed since.</summary>
    public bool IsPaused => _isPaused;

    /// <summary>
    /// Reads the registry, deletes the folders of indexes that are gone, and starts the others; their folders are opened meanwhile. While
    /// the database opens (<see cref="DatabasesOptions.Opened"/>), so that no deletion is forgotten before they hold it.
    /// </summary>
    public static DatabaseIndexes Open(Database database, IndexProcesses processes)
    {
        ArgumentNullException.ThrowIfNull(database);
        ArgumentNullException.ThrowIfNull(processes);
        var indexes = new DatabaseIndexes(database, processes);
        indexes.Load();
        return indexes;
    }

    /// <summary>The index of a name, in any casing; null: none.</summary>
    public Index? Find(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        foreach (var index in _all)
        {
            if (string.Equals(index.Name, name, StringComparison.OrdinalIgnoreCase))
                return index;
        }
        return null;
    }

    /// <summary>Ends every index. What it had seen is durable then.</summary>
    public async ValueTask DisposeAsync()
    {
        foreach (var index in _all)
            index.EndWaits();
        await _idleTimer.DisposeAsync().ConfigureAwait(false);
        await _changes.WaitAsync().ConfigureAwait(false);
        _isClosing = true;
        _changes.Release();
        await EndTasksAsync().ConfigureAwait(false);
        // Until the last one has ended nobody takes away the deletions that the first has yet to see.
        using var held = _database.Consumers.HoldCleaning();
        var positions = await Task.WhenAll(_all.Select(CloseAsync)).ConfigureAwait(false);
        await StoreLowerBoundsAsync(positions).ConfigureAwait(false);
        foreach (var index in _all)
            index.ForgetConsumer();
    }

    private void Load()
    {
        IReadOnlyList<IndexRecord> records;
        var unreadable = new HashSet<Guid>();
        using (var reader = _database.OpenRead("indexes"))
            records = IndexesRoom.Records(
                reader.Of(IndexesRoom.Instance),
                (id, problem) =>
                {
                    unreadable.Add(new Guid(Convert.FromHexString(id)));
                    _processes.Options.Found?.Invoke($"Database '{_database.Name}': the record of index {id} cannot be read: {problem}");
                }
            );
        var folders = _database.EnvironmentFolders(IndexesRoom.Folder);
        foreach (string folder in IndexesRoom.Orphans(folders, records, unreadable, _processes.Options.Planted))
            DeleteOrphan($"{IndexesRoom.Folder}/{folder}");
        var opened = new List<Index>();
        foreach (var record in records)
        {
            if (IndexKinds.Find(record.Kind) is { } kind)
                opened.Add(new Index(this, _database, _processes, record, ShownName(record, records), kind));
            else
                _processes.Options.Found?.Invoke(
                    $"Database '{_database.Name}': index '{record.Name}' is of the kind '{record.Kind}', which this server does not know. "
                        + "It was left as it is."
                );
        }
        Publish(opened);
        foreach (var index in opened)
            index.Start();
        ScheduleIdleLook();
    }

    /// <summary>One that cannot be deleted is in nobody's way, and is tried again the next time.</summary>
    private void DeleteOrphan(string folder)
    {
        try
        {
            _database.DeleteEnvironment(folder);
        }
        catch (DiskException failure)
        {
            _processes.Options.Found?.Invoke(
                $"Database '{_database.Name}': the folder '{folder}' belongs to no index and could not be deleted: {failure.Message}"
            );
        }
    }

    private static string ShownName(IndexRecord record, IEnumerable<IndexRecord> all) =>
        record.Replaces.Count > 0
        && all.Any(other =>
            other.InstanceId != record.InstanceId && string.Equals(other.Name, record.Name, StringComparison.OrdinalIgnoreCase)
        )
            ? $"ReplacementOf/{record.Name}"
            : record.Name;

    private void Publish(IEnumerable<Index> indexes) => _all = [.. indexes.OrderBy(index => index.Name, StringComparer.OrdinalIgnoreCase)];

    /// <summary>Adds a new index, durably, and starts it. Under the gate.</summary>
    private async Task<Index> MakeAsync(IndexRecord record)
    {
        await _database.SubmitAsync(new ChangeIndexesOperation().Put(record)).ConfigureAwait(false);
        _processes.Options.StepReached?.Invoke(IndexStep.Recorded);
        var kind = IndexKinds.Find(record.Kind)!;
        var index = new Index(this, _database, _processes, record, ShownName(record, _all.Select(other => other.Record)), kind);
        if (_isPaused)
            index.SetPaused(true);
        Publish(_all.Append(index));
        index.Start();
        Tell(index, IndexChangeKind.Added);
        ScheduleIdleLook();
        return index;
    }

    /// <summary>Takes it out of the list and ends it; its folder is deleted when its readers have ended. Under the gate; its record is
    /// gone.</summary>
    private async Task DropAsync(Index index, Index? successor)
    {
        Publish(_all.Where(other => other != index));
        await index.Turn.HoldAsync().ConfigureAwait(false);
        var folder = index.Retire(successor);
        index.ForgetConsumer();
        Tell(index, IndexChangeKind.Removed);
        // Readers may take a while: nobody else is to wait for them.
        Track(RunAsync(() => DeleteFolderAsync(index.Record, folder, index)));
    }

    private async Task DeleteFolderAsync(IndexRecord record, IndexFolder? folder, Index? ended)
    {
        if (folder is not null)
            await CloseFolderAsync(record.Name, folder).ConfigureAwait(false);
        ended?.DisposeMap();
        try
        {
            _database.DeleteEnvironment(record.Folder);
        }
        catch (DiskException failure)
        {
            Found(
                record.Name,
                $"Its former folder '{record.Folder}' could not be deleted; it goes when the database opens: {failure.Message}"
            );
            return;
        }
        _processes.Options.StepReached?.Invoke(IndexStep.Deleted);
    }

    /// <summary>Returns the position that it has durably seen.</summary>
    private async Task<(Index Index, long Position)> CloseAsync(Index index)
    {
        await index.Turn.HoldAsync().ConfigureAwait(false);
        var folder = index.Retire(null);
        long position = index.Record.LowerBound;
        if (folder is not null)
        {
            await CloseFolderAsync(index.Name, folder).ConfigureAwait(false);
            folder.NoteDurable();
            position = Math.Max(position, folder.DurablePosition);
        }
        index.DisposeMap();
        return (index, position);
    }

    /// <summary>What a disk refuses an index is no reason for its database not to close: what is not durable is indexed again.</summary>
    private async Task CloseFolderAsync(string index, IndexFolder folder)
    {
        try
        {
            await folder.Environment.CloseAsync().ConfigureAwait(false);
        }
        catch (StorageException failure)
        {
            Found(index, $"Its folder could not be closed in order, and is recovered when it is opened: {failure.Message}");
        }
    }

    private async Task StoreLowerBoundsAsync(IReadOnlyList<(Index Index, long Position)> positions)
    {
        var operation = new ChangeIndexesOperation();
        foreach (var (index, position) in positions)
        {
            if (position > index.Record.LowerBound)
                operation.SetLowerBound(index.InstanceId, position);
        }
        if (operation.SizeBytes == 0)
            return;
        try
        {
            await _database.SubmitAsync(operation).ConfigureAwait(false);
        }
        catch (Exception refused) when (IsRefusal(refused))
        {
            // The bounds stay lower than they could be: deletions are kept longer.
            return;
        }
    }

    private static bool IsRefusal(Exception error) =>
        error is StorageException or OperationException or MergerQueueFullException or DatabaseUnavailableException;

    /// <summary>Runs a change when no other one does. Refused when the database is being closed.</summary>
    private async Task<T> ChangeAsync<T>(Func<Task<T>> change, CancellationToken cancellation = default)
    {
        await _changes.WaitAsync(cancellation).ConfigureAwait(false);
        try
        {
            if (_isClosing)
                throw new DatabaseDisabledException(_database.Name);
            return await change().ConfigureAwait(false);
        }
        finally
        {
            _changes.Release();
        }
    }
}
