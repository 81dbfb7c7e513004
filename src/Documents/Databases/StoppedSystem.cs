using Jackdaw.Documents.Hosting;

namespace Jackdaw.Documents;

/// <summary>The environment <c>System</c> of a stopped server's data folder, locked while this is open. No database is opened.</summary>
public sealed class StoppedSystem : IDisposable
{
    private readonly LinuxDataFolder _folder;
    private readonly Catalogue _catalogue;
    private readonly SemaphoreSlim _gate = new(1);

    private StoppedSystem(LinuxDataFolder folder, Catalogue catalogue)
    {
        _folder = folder;
        _catalogue = catalogue;
    }

    /// <summary>True when the options name a folder that a server has made.</summary>
    public static bool IsThere(DatabasesOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        return Directory.Exists(Path.Combine(options.DataDir, Databases.SystemFolder));
    }

    /// <summary>Opens the folder as a start would, which makes it where there is none.</summary>
    /// <exception cref="Storage.Errors.EnvironmentLockedException">A server has the folder.</exception>
    /// <exception cref="Errors.CatalogueMissingException">It holds databases and no catalogue of them.</exception>
    public static StoppedSystem Open(DatabasesOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        var folder = new LinuxDataFolder(options.DataDir);
        try
        {
            return new StoppedSystem(folder, CatalogueOpening.Open(folder, options));
        }
        catch
        {
            folder.Dispose();
            throw;
        }
    }

    /// <summary>As <see cref="Databases.SystemRows"/>.</summary>
    public SystemRows Rows(string tree, int format) => new(_catalogue, _gate, tree, format);

    /// <summary>Closes the environment cleanly.</summary>
    public void Dispose()
    {
        _catalogue.Dispose();
        _folder.Dispose();
        _gate.Dispose();
    }
}
