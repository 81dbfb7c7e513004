using System.Globalization;
using Jackdaw.Documents.Hosting;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents;

/// <summary>
/// Takes a deleted database's files away: first aside, into <c>Deleted</c>, under a name that holds the database's id and that no
/// other database can ever have; then, when the
/// deletion is hard, for good. A crash in between leaves a folder that the record still names. Nothing is removed that is not
/// known to be that very database: after an older
/// <c>System</c> was brought back, a record's folder may hold a newer database of the same name.
/// </summary>
internal sealed class DatabaseFiles
{
    /// <summary>Of the folder's name, so that the id still fits behind it: the id tells databases apart, the name is for people.</summary>
    private const int MaxShownNameBytes = 180;

    private readonly IDataFolder _folder;
    private readonly EnvironmentOptions _options;

    public DatabaseFiles(IDataFolder folder, EnvironmentOptions options)
    {
        _folder = folder;
        _options = options with { MayCreate = false };
    }

    private enum FolderContent
    {
        /// <summary>The record's database, or nothing that anybody was told is stored.</summary>
        Own,
        AnotherDatabase,
        Unreadable,
    }

    /// <summary>
    /// Finishes a deletion, or undoes a creation. The environment is closed. Returns what a person should look at; null when all
    /// went as it was meant.
    /// </summary>
    /// <param name="row">The database; its record says <see cref="DatabaseState.Creating"/> or
    /// <see cref="DatabaseState.Deleting"/>.</param>
    /// <param name="isOwn">The folder is known to be this database's, because this process had it open or made it.</param>
    public string? Remove(DatabaseRow row, bool isOwn)
    {
        string name = DatabaseName.Folder(row.Record.Name);
        string folder = $"{Databases.DatabasesFolder}/{name}";
        string aside = $"{Databases.DeletedFolder}/{NameAside(name, row.Record.Id)}";
        string? finding = null;
        if (_folder.Folders(Databases.DatabasesFolder).Contains(name))
        {
            switch (isOwn ? FolderContent.Own : Identify(folder, row.Record))
            {
                case FolderContent.Own:
                    _folder.RenameFolder(folder, Free(aside));
                    break;
                case FolderContent.AnotherDatabase:
                    finding =
                        $"The folder '{folder}' holds another database of the name "
                        + $"'{row.Record.Name}' than the one that was deleted. It was left as it is.";
                    break;
                case FolderContent.Unreadable:
                    string kept = Free(aside + "-kept");
                    _folder.RenameFolder(folder, kept);
                    finding =
                        $"Database '{row.Record.Name}' was deleted, but its folder "
                        + "cannot be read, so that nothing shows that it is that "
                        + $"database's. It was moved to '{kept}' instead of being removed.";
                    break;
            }
        }
        if (!row.DeletionIsSoft)
        {
            foreach (string left in _folder.Folders(Databases.DeletedFolder).Where(left => IsOf(left, NameAside(name, row.Record.Id))))
                _folder.DeleteFolder($"{Databases.DeletedFolder}/{left}");
        }
        return finding;
    }

    private static string NameAside(string name, Guid id) =>
        string.Create(CultureInfo.InvariantCulture, $"{name[..Math.Min(name.Length, MaxShownNameBytes)]}-{id:N}");

    private static bool IsOf(string folder, string aside) =>
        folder == aside
        || (folder.StartsWith(aside + ".", StringComparison.Ordinal) && folder[(aside.Length + 1)..].All(char.IsAsciiDigit));

    /// <summary>Only a person's copies can already have the name.</summary>
    private string Free(string path)
    {
        var taken = _folder.Folders(Databases.DeletedFolder);
        string free = path;
        for (int i = 2; taken.Contains(Path.GetFileName(free)); i++)
            free = string.Create(CultureInfo.InvariantCulture, $"{path}.{i}");
        return free;
    }

    private FolderContent Identify(string folder, DatabaseRecord record)
    {
        try
        {
            using var disk = _folder.OpenDisk(folder);
            if (StorageEnvironment.WasNeverMade(disk))
                return HoldsOnlyRemains(folder, disk.List("")) ? FolderContent.Own : FolderContent.Unreadable;
            using var environment = StorageEnvironment.Open(disk, _options with { Name = record.Name });
            var id = DatabaseFormat.ReadId(environment);
            environment.CloseCleanly();
            // Without an id it never came to be opened as a database: the creation of one ends with that.
            return id is null || id == record.Id ? FolderContent.Own : FolderContent.AnotherDatabase;
        }
        catch (StorageException)
        {
            // Damaged, of another version, in use: whatever it is, it is kept, and the finding says so.
            return FolderContent.Unreadable;
        }
    }

    /// <summary>Of a creation that was cut off, nothing of a person's.</summary>
    private bool HoldsOnlyRemains(string folder, IReadOnlyList<string> files) =>
        files.All(file => file is "lock" or "creating" or "data" or "header.new")
        && _folder.Folders(folder).All(inner => inner == "journal");
}
