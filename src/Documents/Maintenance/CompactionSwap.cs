using Jackdaw.Documents.Hosting;

namespace Jackdaw.Documents.Maintenance;

/// <summary>
/// Puts a compacted copy in a database's place. <c>Compacting/</c> holds what is unfinished or no longer wanted,
/// <c>Compacted/</c> complete copies. The old folder leaves
/// before the new one comes; a crash between leaves <c>Compacted/</c> holding the only one, which <see cref="Settle"/> puts in place.
/// </summary>
internal static class CompactionSwap
{
    public const string UnfinishedFolder = "Compacting";
    public const string CompleteFolder = "Compacted";

    /// <summary>The (empty) folder into which to copy.</summary>
    public static string NewCopy(IDataFolder folder, string name)
    {
        folder.DeleteFolder($"{UnfinishedFolder}/{name}");
        return $"{UnfinishedFolder}/{name}";
    }

    /// <summary>The copy is complete and durable: it takes the database's place.</summary>
    public static void Swap(IDataFolder folder, string name)
    {
        folder.RenameFolder($"{UnfinishedFolder}/{name}", $"{CompleteFolder}/{name}");
        folder.RenameFolder($"{Databases.DatabasesFolder}/{name}", $"{UnfinishedFolder}/{name}");
        folder.RenameFolder($"{CompleteFolder}/{name}", $"{Databases.DatabasesFolder}/{name}");
        folder.DeleteFolder($"{UnfinishedFolder}/{name}");
    }

    /// <summary>Takes away the folders of the swap, unless something is in them that the next start has to settle.</summary>
    public static void RemoveEmptyFolders(IDataFolder folder)
    {
        foreach (string name in new[] { UnfinishedFolder, CompleteFolder })
            if (folder.Folders(name).Count == 0)
                folder.DeleteFolder(name);
    }

    /// <summary>At start, before the database is opened: finishes a swap that a crash interrupted, and removes what is left of an
    /// unfinished one.</summary>
    public static void Settle(IDataFolder folder, string name)
    {
        if (folder.HasFolder($"{CompleteFolder}/{name}"))
        {
            if (folder.HasFolder($"{Databases.DatabasesFolder}/{name}"))
                folder.DeleteFolder($"{CompleteFolder}/{name}");
            else
                folder.RenameFolder($"{CompleteFolder}/{name}", $"{Databases.DatabasesFolder}/{name}");
        }
        // Beside a missing database even what looks unwanted may be all that is left of it.
        if (folder.HasFolder($"{UnfinishedFolder}/{name}") && folder.HasFolder($"{Databases.DatabasesFolder}/{name}"))
            folder.DeleteFolder($"{UnfinishedFolder}/{name}");
    }
}
