using System.Collections.Concurrent;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Hosting;
using Jackdaw.Storage;

namespace Jackdaw.Documents;

/// <summary>Online copies: a data folder of its own that holds one database.</summary>
public sealed partial class Databases
{
    private readonly ConcurrentDictionary<string, bool> _copyTargets = new(StringComparer.Ordinal);

    /// <summary>
    /// Copies a database, while it is read and written, into a new data folder, which a server or a command can open when the
    /// task has ended: it holds every write acknowledged before
    /// the call and a prefix of those since, and the database's record. It is a database of its own, with an id of its own
    /// (<see cref="Database.Ancestors"/>). Returns the transaction that the copy opens at. Whatever ends it before leaves no
    /// folder behind.
    /// Throws <see cref="CopyTargetException"/>, the kinds of <see cref="DatabaseUnavailableException"/>,
    /// <see cref="Storage.Errors.StorageException"/>,
    /// <see cref="OperationCanceledException"/>.
    /// </summary>
    /// <param name="name">The database.</param>
    /// <param name="folder">An absolute path whose last part does not exist yet, or is an empty folder.</param>
    /// <param name="progressed">Bytes copied so far, and bytes known to be copied in all; called on the copy's own thread.</param>
    /// <param name="cancellation">Ends it soon.</param>
    public Task<long> CopyAsync(string name, string folder, Action<long, long> progressed, CancellationToken cancellation)
    {
        var database = Get(name);
        string target = CheckedTarget(folder);
        // It blocks on the disk for minutes: a thread of its own.
        return Task.Factory.StartNew(
            () => Copy(database, target, progressed, cancellation),
            cancellation,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default
        );
    }

    /// <summary>On its own thread, whose name this sets.</summary>
    internal long Copy(Database database, string folder, Action<long, long> progressed, CancellationToken cancellation)
    {
        Thread.CurrentThread.Name = $"copy {database.Name}";
        if (!_copyTargets.TryAdd(folder, true))
            throw new CopyTargetException(folder, "another copy is being made there.");
        try
        {
            // Another one may have ended since this one was asked for: that is not to be taken away with what this one made.
            RequireEmpty(folder);
            return CopyToEmpty(database, folder, progressed, cancellation);
        }
        finally
        {
            _copyTargets.TryRemove(folder, out _);
        }
    }

    private long CopyToEmpty(Database database, string folder, Action<long, long> progressed, CancellationToken cancellation)
    {
        bool isComplete = false;
        try
        {
            using var copies = new LinuxDataFolder(folder);
            long transaction;
            using (var disk = copies.OpenDisk($"{DatabasesFolder}/{DatabaseName.Folder(database.Name)}"))
                transaction = database.CopyTo(disk, progressed, cancellation);
            // Deleted meanwhile, and perhaps made anew: it cannot be told what the copy is of.
            var record =
                Record(database.Name) is { } now && now.Id == database.Id ? now : throw new DatabaseDoesNotExistException(database.Name);
            var copyId = Guid.NewGuid();
            Fork(copies, database.Name, copyId);
            // Last: without its catalogue nothing starts on the folder, so that a copy that a crash cut off is not taken for one.
            using (var catalogue = CatalogueOpening.OpenOrMake(copies, _options.Storage))
                catalogue.Store(new DatabaseRow(record with { Id = copyId, Disabled = false }, DeletionIsSoft: false));
            isComplete = true;
            return transaction;
        }
        finally
        {
            if (!isComplete)
                RemoveCopy(folder);
        }
    }

    private void Fork(LinuxDataFolder copies, string name, Guid copyId)
    {
        using var disk = copies.OpenDisk($"{DatabasesFolder}/{DatabaseName.Folder(name)}");
        using var environment = StorageEnvironment.Open(disk, _options.Storage with { Name = name, Host = null, MayCreate = false });
        DatabaseFormat.Fork(environment, copyId);
        environment.CloseCleanly();
    }

    private string CheckedTarget(string folder)
    {
        if (!Path.IsPathFullyQualified(folder))
            throw new CopyTargetException(folder, "it must be an absolute path on the server's machine.");
        string target = Path.TrimEndingDirectorySeparator(Path.GetFullPath(folder));
        if (Path.GetDirectoryName(target) is not { } parent)
            throw new CopyTargetException(folder, "it is the root of the file system.");
        if (!Directory.Exists(parent))
            throw new CopyTargetException(folder, $"there is no folder '{parent}'.");
        if (!_options.RunInMemory && IsWithin(target, Path.GetFullPath(_options.DataDir)))
            throw new CopyTargetException(folder, "it lies in the server's own data folder.");
        RequireEmpty(target);
        return target;
    }

    private static void RequireEmpty(string target)
    {
        if (File.Exists(target) || (Directory.Exists(target) && Directory.EnumerateFileSystemEntries(target).Any()))
            throw new CopyTargetException(target, "it exists already, and is not an empty folder. Nothing was changed.");
    }

    private static bool IsWithin(string path, string folder) =>
        path == folder
        || path.StartsWith(Path.TrimEndingDirectorySeparator(folder) + Path.DirectorySeparatorChar, StringComparison.Ordinal);

    /// <summary>The folder did not exist, or was empty, before this copy.</summary>
    private static void RemoveCopy(string folder)
    {
        if (Directory.Exists(folder))
            Directory.Delete(folder, recursive: true);
    }
}
