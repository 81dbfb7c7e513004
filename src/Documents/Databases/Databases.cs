using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Hosting;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Documents.Merging;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents;

/// <summary>
/// A server's databases. Names are case-insensitive. Thread-safe. Changes are durable when their task ends, and a crash in the
/// middle of one leaves the
/// database as it was or as it was to be, settled at the next start.
/// </summary>
public sealed partial class Databases : IAsyncDisposable
{
    internal const string SystemFolder = "System";
    internal const string DatabasesFolder = "Databases";
    internal const string DeletedFolder = "Deleted";

    /// <summary>Where folders lie that are called as databases are.</summary>
    private static readonly string[] s_foldersByName = [DatabasesFolder, CompactionSwap.CompleteFolder, CompactionSwap.UnfinishedFolder];

    /// <summary>Journal files in memory are memory: small ones.</summary>
    private const int JournalFileBytesInMemory = 4 << 20;

    private readonly DatabasesOptions _options;
    private readonly IDataFolder _folder;
    private readonly Catalogue _catalogue;
    private readonly DatabaseFiles _files;
    private readonly StepThreads _threads = new();
    private readonly ConcurrentQueue<string> _startFindings = new();
    private readonly SemaphoreSlim _catalogueGate = new(1);
    private readonly ConcurrentDictionary<string, DatabaseEntry> _entries = new(StringComparer.OrdinalIgnoreCase);
    private readonly ConcurrentDictionary<string, DatabaseEntry>.AlternateLookup<ReadOnlySpan<char>> _entriesBySpan;

    private Databases(DatabasesOptions options, IDataFolder folder, Catalogue catalogue)
    {
        _options = options;
        _folder = folder;
        _catalogue = catalogue;
        _files = new DatabaseFiles(folder, options.Storage);
        _entriesBySpan = _entries.GetAlternateLookup<ReadOnlySpan<char>>();
    }

    /// <summary>
    /// Opens the catalogue, settles what a crash left, and opens every enabled database, several at a time; with
    /// <see cref="DatabasesOptions.OpensInBackground"/> it returns before they are open. One that cannot be opened does not
    /// prevent the others
    /// (<see cref="Get(string)"/> of it throws). Throws <see cref="EnvironmentLockedException"/> when another process has the folder,
    /// <see cref="CatalogueMissingException"/> when it holds databases but no catalogue.
    /// </summary>
    public static Databases Open(DatabasesOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Invariant.Require(options.NodeTag.Length is >= 1 and <= 4 && options.NodeTag.All(char.IsAsciiLetterUpper));
        IDataFolder folder = options.Folder ?? (options.RunInMemory ? new MemoryDataFolder() : new LinuxDataFolder(options.DataDir));
        Catalogue catalogue;
        try
        {
            catalogue = CatalogueOpening.Open(folder, options);
        }
        catch
        {
            folder.Dispose();
            throw;
        }
        var databases = new Databases(options, folder, catalogue);
        try
        {
            databases.BeginOpening(databases.Load());
            if (!options.OpensInBackground)
                databases.AllOpened.GetAwaiter().GetResult();
        }
        catch
        {
            // What was opened so far holds threads and locks, which a second attempt would run into.
            databases.DisposeAsync().AsTask().GetAwaiter().GetResult();
            throw;
        }
        return databases;
    }

    /// <summary>The limits of every database.</summary>
    public Limits Limits => _options.Limits;

    /// <summary>Checks that a database could have a name, whether there is one or not.</summary>
    /// <exception cref="InvalidDatabaseNameException">None could.</exception>
    public static void RequireName(string? name) => DatabaseName.Validate(name);

    /// <summary>Rows of another project in the environment <c>System</c>.</summary>
    /// <param name="tree">The name of their tree: always the same for the same rows.</param>
    /// <param name="format">The number of their format. Rows of another one are refused.</param>
    /// <exception cref="UnsupportedFormatException">The rows that are there have another format.</exception>
    public SystemRows SystemRows(string tree, int format) => new(_catalogue, _catalogueGate, tree, format);

    /// <summary>The server's own id: made with its folder.</summary>
    public Guid ServerId => _catalogue.ServerId;

    /// <summary>A database. One that is not open yet is opened on this thread, which takes as long as its recovery: see
    /// <see cref="OpenAsync"/>. Throws the kinds of <see cref="DatabaseUnavailableException"/>.</summary>
    public Database Get(string name) => Get(name.AsSpan());

    /// <summary>As <see cref="Get(string)"/>, for a name in UTF-16 that need not become a string.</summary>
    public Database Get(ReadOnlySpan<char> name)
    {
        if (_entriesBySpan.TryGetValue(name, out var entry) && (entry.Open ?? OpenNow(entry)) is { } open)
            return open;
        return ThrowUnavailable(name, entry);
    }

    /// <summary>The database if it is open at this moment; null when it is not, for whatever reason. Opens nothing.</summary>
    public Database? TryGetOpen(string name) => _entries.TryGetValue(name, out var entry) ? entry.Open : null;

    /// <summary>Null when there is none (or it is being created or deleted).</summary>
    public DatabaseRecord? Record(string name) =>
        _entries.TryGetValue(name, out var entry) && entry.Record is { State: DatabaseState.Ready } record ? record : null;

    /// <summary>Every database, by name.</summary>
    public IReadOnlyList<DatabaseRecord> List() =>
        _entries
            .Values.Select(entry => entry.Record)
            .Where(record => record.State == DatabaseState.Ready)
            .OrderBy(record => record.Name, StringComparer.OrdinalIgnoreCase)
            .ToArray();

    /// <summary>Why an enabled database could not be opened; null when it could, is disabled or does not exist.</summary>
    public Exception? LoadFailure(string name) =>
        _entries.TryGetValue(name, out var entry) && entry.Record is { State: DatabaseState.Ready, Disabled: false }
            ? entry.LoadFailure
            : null;

    /// <summary>Grows with every change of any record: the server's own "raft index".</summary>
    public long LastRecordEtag => _catalogue.LastEtag;

    /// <summary>Times that steps of databases wait for; none on a server that has nothing to do.</summary>
    internal int WaitingTimes => _threads.Clock.Waiting;

    /// <summary>Closes every database: what was submitted is answered, readers are waited for.</summary>
    public async ValueTask DisposeAsync()
    {
        _isEnding = true;
        await AllOpened.ConfigureAwait(false);
        try
        {
            await CloseAllAsync().ConfigureAwait(false);
        }
        finally
        {
            _threads.Dispose();
            _catalogue.Dispose();
            _folder.Dispose();
            _catalogueGate.Dispose();
            _openedOnDemand.Dispose();
        }
    }

    /// <summary>Several at a time, for each waits for its disk. One that cannot be closed does not keep the others open; the first
    /// failure comes out.</summary>
    private async Task CloseAllAsync()
    {
        using var closedAtOnce = new SemaphoreSlim(s_openedAtOnce);
        await Task.WhenAll(
                _entries.Values.Select(async entry =>
                {
                    await closedAtOnce.WaitAsync().ConfigureAwait(false);
                    try
                    {
                        await CloseAtEndAsync(entry).ConfigureAwait(false);
                    }
                    finally
                    {
                        closedAtOnce.Release();
                    }
                })
            )
            .ConfigureAwait(false);
    }

    private static async Task CloseAtEndAsync(DatabaseEntry entry)
    {
        await entry.Gate.WaitAsync().ConfigureAwait(false);
        try
        {
            // A deletion may have failed in its middle.
            if ((entry.Open ?? entry.Withheld) is { } open)
                await open.CloseAsync(new DatabaseDoesNotExistException(open.Name)).ConfigureAwait(false);
            entry.Open = entry.Withheld = null;
        }
        finally
        {
            entry.Gate.Release();
        }
    }

    [DoesNotReturn]
    private static Database ThrowUnavailable(ReadOnlySpan<char> name, DatabaseEntry? entry)
    {
        if (entry is null || entry.Record.State != DatabaseState.Ready)
            throw new DatabaseDoesNotExistException(name.ToString());
        if (entry.LoadFailure is { } failure && !entry.Record.Disabled)
            throw new DatabaseLoadException(
                entry.Record.Name,
                failure is DatabaseLoadException { InnerException: { } cause } ? cause : failure
            );
        throw new DatabaseDisabledException(entry.Record.Name);
    }

    /// <summary>
    /// What the start found that a person should look at, a sentence each: folders that no record names (left alone) and
    /// databases that could not be opened. Complete when <see cref="AllOpened"/> is.
    /// </summary>
    public IReadOnlyList<string> StartFindings => [.. _startFindings];

    /// <summary>Told, on the thread pool, what a person should look at after a deletion: a sentence. Must not throw.</summary>
    public Action<string>? Found { get; set; }

    /// <summary>At start: unfinished creations are undone, unfinished deletions finished. Nothing else is removed, whatever is
    /// missing. Returns the databases that are to be opened.</summary>
    private List<DatabaseEntry> Load()
    {
        var enabled = new List<DatabaseEntry>();
        var known = new HashSet<string>(StringComparer.Ordinal);
        foreach (var row in _catalogue.Rows())
        {
            if (row.Record.State == DatabaseState.Ready)
            {
                known.Add(DatabaseName.Folder(row.Record.Name));
                CompactionSwap.Settle(_folder, DatabaseName.Folder(row.Record.Name));
                var entry = new DatabaseEntry(row.Record);
                _entries[row.Record.Name] = entry;
                if (!row.Record.Disabled)
                    enabled.Add(entry);
                continue;
            }
            if (_files.Remove(row, isOwn: _options.RunInMemory) is { } finding)
                _startFindings.Enqueue(finding);
            _catalogue.Remove(row.Record.Name);
        }
        foreach (string of in s_foldersByName)
        {
            foreach (string orphan in _folder.Folders(of).Where(orphan => !known.Contains(orphan)))
                _startFindings.Enqueue(
                    $"No record names the folder '{of}/{orphan}'. It was left as it is; "
                        + $"move it away if it is not wanted, bring back the '{SystemFolder}' folder "
                        + "that names it, or stop the server and let './run adopt' record it."
                );
        }
        return enabled;
    }

    private void TryOpen(DatabaseEntry entry)
    {
        try
        {
            var database = OpenDatabase(entry.Record);
            if (database.Id != entry.Record.Id)
                RecordCopy(entry, database);
            entry.Open = database;
            entry.LoadFailure = null;
        }
        catch (Exception failure)
        {
            // Whatever it is.
            // One database that cannot be opened is no reason for the others not to be; whoever asks for it is told.
            entry.LoadFailure = failure;
        }
    }

    /// <summary>Somebody has put a copy of the database in its place, to go back to it.</summary>
    private void RecordCopy(DatabaseEntry entry, Database database)
    {
        try
        {
            entry.Record = StoreAsync(new DatabaseRow(entry.Record with { Id = database.Id }, DeletionIsSoft: false))
                .GetAwaiter()
                .GetResult();
        }
        catch
        {
            database.CloseAsync(new DatabaseDisabledException(database.Name)).GetAwaiter().GetResult();
            throw;
        }
        string finding =
            $"The folder of the database '{database.Name}' holds a copy of it, which "
            + $"has etags up to {database.LastDurableEtag}: it is the database from now on.";
        if (Found is { } found)
            found(finding);
        else
            _startFindings.Enqueue(finding);
    }

    private Database OpenDatabase(DatabaseRecord record)
    {
        string folder = $"{DatabasesFolder}/{DatabaseName.Folder(record.Name)}";
        bool mayCreate = record.State == DatabaseState.Creating || _options.RunInMemory;
        if (!mayCreate && !_folder.HasFolder(folder))
            throw new CorruptedDataException(folder, 0, "the database's folder is missing; nothing was changed");
        var consumers = new ConsumerPositions(_options.Clock);
        // However long it takes: who registers in Opened must find every tombstone that was there.
        using var opening = consumers.HoldCleaning();
        var storage = _options.RunInMemory
            ? _options.Storage with
            {
                JournalFileBytes = Math.Min(_options.Storage.JournalFileBytes, JournalFileBytesInMemory),
            }
            : _options.Storage with
            {
                ReservedDataFileBytes = EnvironmentOptions.SmallReservationBytes,
            };
        var host = new DatabaseHost(
            record.Id,
            _folder.OpenDisk(folder),
            new HostOptions
            {
                Merger = new MergerOptions
                {
                    DatabaseName = record.Name,
                    Limits = _options.Limits,
                    AsynchronousCommit = _options.AsynchronousCommit,
                    Clock = _options.Clock,
                },
                Storage = storage with { MayCreate = mayCreate },
                NodeTag = _options.NodeTag,
                TombstoneCleaningInterval = _options.TombstoneCleaningInterval,
                MaxTombstoneAge = _options.MaxTombstoneAge,
                Clock = _options.Clock,
                Threads = _threads,
            },
            consumers
        );
        var database = new Database(
            record with
            {
                Id = host.DatabaseId,
            },
            _options,
            ServerId,
            host,
            consumers,
            () => _folder.SizeBytes(folder),
            new SideFolders(_folder, folder, _options.RunInMemory)
        );
        try
        {
            _options.Opened?.Invoke(database);
        }
        catch (Exception cause)
        {
            // With whatever was attached before.
            database.CloseAsync(new DatabaseDisabledException(record.Name)).GetAwaiter().GetResult();
            throw new DatabaseLoadException(record.Name, cause);
        }
        return database;
    }

    /// <summary>
    /// The path of a folder that would belong to a database of this name; null when there is none. Also one that a compaction
    /// left: beside a new database of the name the
    /// next start would take it for what that has replaced.
    /// </summary>
    private string? FolderOfName(string name)
    {
        string folder = DatabaseName.Folder(name);
        return s_foldersByName.Where(of => _folder.Folders(of).Contains(folder)).Select(of => $"{of}/{folder}").FirstOrDefault();
    }
}
