using System.Text.Json;
using Jackdaw.Documents.Hosting;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents.Maintenance;

/// <summary>
/// Records the databases that are in a stopped server's data folder and that no record names, because <c>System</c> was lost or
/// an older one was brought back. Only on a
/// person's word. Nothing is removed.
/// </summary>
public static class DatabaseAdoption
{
    /// <summary>
    /// Makes a catalogue when it is missing, then names every folder under <c>Databases</c> that opens as a database and has no
    /// record: in lower case, enabled, with an empty
    /// record. Says what was done with each. False when a folder was left without a record.
    /// </summary>
    public static bool Run(DatabasesOptions options, TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(output);
        if (!Directory.Exists(options.DataDir))
            throw new UnsupportedFormatException(options.DataDir, "there is no such folder.");
        using var folder = new LinuxDataFolder(options.DataDir);
        bool isMissing = CatalogueOpening.IsMissing(folder);
        if (isMissing && CatalogueOpening.FoldersOfDatabases(folder).Count == 0)
            throw new UnsupportedFormatException(options.DataDir, "it holds no databases to adopt.");
        using var catalogue = CatalogueOpening.OpenOrMake(folder, options.Storage);
        if (isMissing)
            output.WriteLine($"A new '{Databases.SystemFolder}' was made.");
        FinishCompactions(folder, output);
        var rows = catalogue.Rows();
        bool isWhole = true;
        foreach (string name in folder.Folders(Databases.DatabasesFolder))
        {
            if (rows.Any(row => DatabaseName.Folder(row.Record.Name) == name))
                continue;
            if (Adopt(folder, name, rows, options, output) is not { } record)
            {
                isWhole = false;
                continue;
            }
            record = catalogue.Store(new DatabaseRow(record, DeletionIsSoft: false));
            rows.Add(new DatabaseRow(record, DeletionIsSoft: false));
            output.WriteLine($"{Databases.DatabasesFolder}/{name}: adopted as '{record.Name}', database id {record.Id}");
        }
        return isWhole;
    }

    /// <summary>Where a compaction was cut off between its two renames, the only copy lies aside.</summary>
    private static void FinishCompactions(LinuxDataFolder folder, TextWriter output)
    {
        foreach (string name in folder.Folders(CompactionSwap.CompleteFolder).Except(folder.Folders(Databases.DatabasesFolder)).ToArray())
        {
            folder.RenameFolder($"{CompactionSwap.CompleteFolder}/{name}", $"{Databases.DatabasesFolder}/{name}");
            output.WriteLine(
                $"{CompactionSwap.CompleteFolder}/{name}: a compaction had been "
                    + $"cut off; it took its place as {Databases.DatabasesFolder}/{name}"
            );
        }
    }

    /// <summary>The record to store; null, told, when the folder is left alone.</summary>
    private static DatabaseRecord? Adopt(
        LinuxDataFolder folder,
        string name,
        List<DatabaseRow> rows,
        DatabasesOptions options,
        TextWriter output
    )
    {
        string path = $"{Databases.DatabasesFolder}/{name}";
        if (DatabaseName.FromFolder(name) is not { } databaseName)
        {
            output.WriteLine($"{path}: left as it is: this is not the name of a database's folder");
            return null;
        }
        try
        {
            using var disk = folder.OpenDisk(path);
            using var environment = StorageEnvironment.Open(disk, options.Storage with { Name = databaseName, MayCreate = false });
            var id = DatabaseFormat.ReadId(environment);
            environment.CloseCleanly();
            if (id is null)
            {
                output.WriteLine($"{path}: left as it is: it holds no database");
                return null;
            }
            if (rows.Find(row => row.Record.Id == id) is { } other)
            {
                output.WriteLine(
                    $"{path}: left as it is: it is a copy of the database "
                        + $"'{other.Record.Name}', or was renamed; two databases cannot have one id"
                );
                return null;
            }
            return new DatabaseRecord(databaseName, id.Value, DatabaseState.Ready, Disabled: false, Etag: 0, EmptyRecord(databaseName));
        }
        catch (StorageException failure)
        {
            output.WriteLine($"{path}: left as it is: it cannot be opened: {failure.Message}");
            return null;
        }
    }

    private static byte[] EmptyRecord(string name) =>
        JsonSerializer.SerializeToUtf8Bytes(new Dictionary<string, string> { ["DatabaseName"] = name });
}
