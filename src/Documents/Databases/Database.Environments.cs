using Jackdaw.Documents.Hosting;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents;

/// <summary>Environments that others keep in folders below the database's: see docs/decisions/0028-index-processes.md.</summary>
public sealed partial class Database
{
    private readonly Lock _environmentsLock = new();
    private readonly List<DatabaseEnvironment> _environments = [];
    private readonly SideFolders _sideFolders;

    /// <summary>
    /// Opens an environment in a folder below the database's, making and recovering it where needed. It is lazily durable, its steps run
    /// on the server's shared threads, and it is no part of the database's transactions, online copies or counts. Errors: those of
    /// <see cref="StorageEnvironment.Open"/>, an <see cref="EnvironmentLockedException"/> while it is open already, and
    /// <see cref="Errors.DatabaseUnavailableException"/>.
    /// </summary>
    /// <param name="folder">Path below the database's folder: two names of letters, digits and hyphens with a slash between them.</param>
    /// <param name="options">How.</param>
    public DatabaseEnvironment OpenEnvironment(string folder, DatabaseEnvironmentOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        SideFolders.RequireName(folder);
        if (Volatile.Read(ref _unavailable) is not null)
            throw Unavailable();
        lock (_environmentsLock)
        {
            if (_environments.Exists(open => open.Folder == folder))
                throw new EnvironmentLockedException($"{Name}/{folder}", Environment.ProcessId);
        }
        var host = EnvironmentHost.Open(
            _sideFolders.OpenDisk(folder),
            SideEnvironments.Options(_host.Storage.Options, $"{Name}/{folder}", _sideFolders.IsInMemory) with
            {
                MayCreate = options.MayCreate,
            },
            _host.Threads
        );
        var environment = new DatabaseEnvironment(folder, host, Forget);
        host.Start(faulted: options.Faulted, journaled: options.Journaled);
        lock (_environmentsLock)
            _environments.Add(environment);
        return environment;
    }

    /// <summary>Names of the folders in a folder below the database's; none when it is absent. Errors: <see
    /// cref="DiskException"/>.</summary>
    public IReadOnlyList<string> EnvironmentFolders(string under) => _sideFolders.List(under);

    /// <summary>Deletes a folder below the database's, whose environment is not open; nothing happens when it is absent. Errors:
    /// <see cref="DiskException"/>.</summary>
    public void DeleteEnvironment(string folder)
    {
        SideFolders.RequireName(folder);
        lock (_environmentsLock)
            Invariant.Require(!_environments.Exists(open => open.Folder == folder), "an open environment is not deleted");
        _sideFolders.Delete(folder);
    }

    private void Forget(DatabaseEnvironment environment)
    {
        lock (_environmentsLock)
            _environments.Remove(environment);
    }

    /// <summary>Those that their owners left open.</summary>
    private async Task CloseEnvironmentsAsync()
    {
        DatabaseEnvironment[] left;
        lock (_environmentsLock)
            left = [.. _environments];
        foreach (var environment in left)
            await environment.CloseAsync().ConfigureAwait(false);
    }
}
