using System.Globalization;
using Jackdaw.Documents.Hosting;
using Jackdaw.Documents.Ids;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents.Maintenance;

/// <summary>
/// Gives databases of a stopped server's data folder a new history, because the folder came from a snapshot of a disk or a machine
/// and the original goes on elsewhere: a new database id, and the former one in the list of ancestors. See docs/new-history.md.
/// </summary>
public static class NewHistory
{
    private const int MostNamesShown = 20;

    /// <summary>
    /// Gives one database a new history, durably. A crash leaves the former or the new one. Returns false, having said why, when there is
    /// no such database or it cannot be opened. Throws <see cref="EnvironmentLockedException"/> when a server has the folder.
    /// </summary>
    public static bool Run(DatabasesOptions options, string name, TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(output);
        options = Checked(options);
        using var folder = options.Folder ?? new LinuxDataFolder(options.DataDir);
        using var catalogue = new Catalogue(folder.OpenDisk(Databases.SystemFolder), options.Storage);
        var rows = catalogue.Rows();
        if (rows.Find(row => string.Equals(row.Record.Name, name, StringComparison.OrdinalIgnoreCase)) is { } row)
            return !IsLeft(row.Record, output) && Renew(folder, catalogue, row, options, output);
        output.WriteLine($"There is no database '{name}' in '{options.DataDir}'. Its databases: {Names(rows)}.");
        return false;
    }

    /// <summary>
    /// Gives the folder a new server id, and then each database a new history. Returns false, having said why, when a database was left as
    /// it was; the others are done. When it was interrupted, run it again. Throws as <see cref="Run"/>.
    /// </summary>
    public static bool RunAll(DatabasesOptions options, TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(output);
        options = Checked(options);
        using var folder = options.Folder ?? new LinuxDataFolder(options.DataDir);
        using var catalogue = new Catalogue(folder.OpenDisk(Databases.SystemFolder), options.Storage);
        var formerId = catalogue.ServerId;
        catalogue.RenewServerId();
        options.StepReached?.Invoke("server");
        output.WriteLine($"The server id was {formerId:D} and is now {catalogue.ServerId:D}.");
        bool isWhole = true;
        foreach (var row in catalogue.Rows())
            isWhole &= IsLeft(row.Record, output) || Renew(folder, catalogue, row, options, output);
        return isWhole;
    }

    private static DatabasesOptions Checked(DatabasesOptions options)
    {
        if (options.Folder is null)
            DataFolderMaintenance.RequireFolder(options.DataDir);
        return DataFolderMaintenance.OfWhatIsThere(options);
    }

    /// <summary>Half of a database: it goes, whatever its history.</summary>
    private static bool IsLeft(DatabaseRecord record, TextWriter output)
    {
        if (record.State == DatabaseState.Ready)
            return false;
        output.WriteLine($"{record.Name}: left as it is: it is {record.State}; the next start removes it, so it needs no new history.");
        return true;
    }

    /// <summary>The database's own transaction decides; a crash before its row is stored is settled by the next start, which takes the id
    /// from a folder that descends from the recorded one.</summary>
    private static bool Renew(IDataFolder folder, Catalogue catalogue, DatabaseRow row, DatabasesOptions options, TextWriter output)
    {
        var record = row.Record;
        options.StepReached?.Invoke("begun");
        var newId = Guid.NewGuid();
        if (Fork(folder, record, newId, options, output) is not { } former)
            return false;
        string formerText = former.DatabaseIdText;
        string newText = ChangeVector.DatabaseIdText(newId);
        options.StepReached?.Invoke("forked");
        try
        {
            catalogue.Store(row with { Record = record with { Id = newId } });
        }
        catch (StorageException)
        {
            output.WriteLine(
                $"{record.Name}: the database id was {formerText} and is now {newText}, but the catalogue could not be written; "
                    + "the next start records it."
            );
            throw;
        }
        options.StepReached?.Invoke("recorded");
        output.WriteLine(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{record.Name}: the database id was {formerText} and is now {newText}; the histories part after etag "
                    + $"{former.ForkEtag}. Its ETL tasks are paused until an operator starts them."
            )
        );
        return true;
    }

    /// <summary>Returns what the database was; null, having said why, when it has no new history or nobody knows.</summary>
    private static DatabaseAncestor? Fork(
        IDataFolder folder,
        DatabaseRecord record,
        Guid newId,
        DatabasesOptions options,
        TextWriter output
    )
    {
        string name = DatabaseName.Folder(record.Name);
        bool isBegun = false;
        DatabaseAncestor? former = null;
        try
        {
            CompactionSwap.Settle(folder, name);
            using var disk = folder.OpenDisk($"{Databases.DatabasesFolder}/{name}");
            using var environment = StorageEnvironment.Open(disk, options.Storage with { Name = record.Name });
            DatabaseFormat.Ensure(environment, record.Id);
            options.StepReached?.Invoke("opened");
            isBegun = true;
            DatabaseFormat.Fork(environment, newId);
            former = DatabaseFormat.ReadHistory(environment)[0];
            environment.CloseCleanly();
        }
        catch (StorageException failure) when (failure is not EnvironmentLockedException)
        {
            output.WriteLine(
                former is not null ? $"{record.Name}: its last bytes could not be written; the next start recovers them: {failure.Message}"
                : isBegun && failure is (DiskException or EnvironmentPoisonedException)
                    ? $"{record.Name}: perhaps it has a new history and perhaps not; run new-history again when its disk is in order, "
                        + $"which at worst adds one more ancestor: {failure.Message}"
                : $"{record.Name}: left as it is: {failure.Message}"
            );
        }
        return former;
    }

    private static string Names(List<DatabaseRow> rows)
    {
        if (rows.Count == 0)
            return "none";
        string shown = string.Join(", ", rows.Take(MostNamesShown).Select(row => $"'{row.Record.Name}'"));
        return rows.Count <= MostNamesShown ? shown : $"{shown} and {rows.Count - MostNamesShown} more";
    }
}
