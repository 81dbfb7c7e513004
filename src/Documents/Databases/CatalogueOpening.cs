using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Hosting;
using Jackdaw.Storage;

namespace Jackdaw.Documents;

/// <summary>Opens a data folder's catalogue, or makes it where there is nothing yet; beside databases that it would not name it
/// is made only on a person's word.</summary>
internal static class CatalogueOpening
{
    private static readonly string[] s_foldersOfDatabases =
    [
        Databases.DatabasesFolder,
        Databases.DeletedFolder,
        Maintenance.CompactionSwap.CompleteFolder,
        Maintenance.CompactionSwap.UnfinishedFolder,
    ];

    /// <summary>The environment's disk is the catalogue's. Throws <see cref="CatalogueMissingException"/> and whatever opening an
    /// environment throws.</summary>
    public static Catalogue Open(IDataFolder folder, DatabasesOptions options)
    {
        if (!options.RunInMemory && IsMissing(folder) && FoldersOfDatabases(folder) is { Count: > 0 } found)
            throw new CatalogueMissingException(options.DataDir, found);
        return OpenOrMake(folder, options.Storage);
    }

    public static Catalogue OpenOrMake(IDataFolder folder, EnvironmentOptions options)
    {
        var disk = folder.OpenDisk(Databases.SystemFolder);
        try
        {
            return new Catalogue(disk, options);
        }
        catch
        {
            disk.Dispose();
            throw;
        }
    }

    /// <summary>Nothing is made by looking.</summary>
    public static bool IsMissing(IDataFolder folder)
    {
        if (!folder.Folders("").Contains(Databases.SystemFolder))
            return true;
        using var disk = folder.OpenDisk(Databases.SystemFolder);
        return StorageEnvironment.WasNeverMade(disk);
    }

    /// <summary>Paths under the data folder.</summary>
    public static IReadOnlyList<string> FoldersOfDatabases(IDataFolder folder) =>
        s_foldersOfDatabases.SelectMany(of => folder.Folders(of).Select(name => $"{of}/{name}")).ToArray();
}
