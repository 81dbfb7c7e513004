using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents.Errors;

/// <summary>The data folder holds databases, and its <c>System</c> folder, which names them, is missing. Nothing was changed.</summary>
public sealed class CatalogueMissingException : StorageException
{
    /// <summary>Creates the error for a data folder that holds databases and no catalogue.</summary>
    /// <param name="dataDir">The data folder.</param>
    /// <param name="folders">The folders of databases found in it.</param>
    public CatalogueMissingException(string dataDir, IReadOnlyList<string> folders)
        : base(
            $"'{dataDir}' holds {Listed(folders)}, but no catalogue: the folder '{Databases.SystemFolder}', "
                + "which names the databases, is missing or empty. Nothing was changed. "
                + $"Bring '{Databases.SystemFolder}' back from where it went, or from the same backup as "
                + $"the databases. If it is lost, './run adopt --DataDir={dataDir}' makes a new one that "
                + "names the databases found (names in lower case, settings of the "
                + "records lost, all enabled). To begin with no database at all, move those "
                + $"folders away, or name another {nameof(DatabasesOptions.DataDir)}."
        ) => DataDir = dataDir;

    /// <summary>The data folder that lacks its catalogue.</summary>
    public string DataDir { get; }

    private static string Listed(IReadOnlyList<string> folders)
    {
        const int Shown = 10;
        string shown = string.Join(", ", folders.Take(Shown).Select(folder => $"'{folder}'"));
        return folders.Count > Shown ? $"{shown} and {folders.Count - Shown} more folders" : shown;
    }
}
