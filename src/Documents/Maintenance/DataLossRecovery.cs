using System.Globalization;
using Jackdaw.Documents.Hosting;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Recovery;

namespace Jackdaw.Documents.Maintenance;

/// <summary>Opens a stopped server's damaged data folder at its last good record. Only on a person's word that what comes after
/// it may be lost.</summary>
public static class DataLossRecovery
{
    /// <summary>
    /// Opens every environment as a start would; where that finds a damaged journal, says what is wrong, gives up what lies
    /// behind the last good record, and says what
    /// that was. Sound environments lose nothing. Damage outside the journal is told and left as it is: false then.
    /// </summary>
    public static bool Run(DatabasesOptions options, TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(output);
        DataFolderMaintenance.RequireFolder(options.DataDir);
        options = DataFolderMaintenance.OfWhatIsThere(options);
        using var folder = new LinuxDataFolder(options.DataDir);
        if (!Recover(folder, Databases.SystemFolder, Catalogue.Options(options.Storage), output, out _))
            return false;
        using var catalogue = new Catalogue(folder.OpenDisk(Databases.SystemFolder), options.Storage);
        var isWhole = true;
        foreach (var row in catalogue.Rows().Where(row => row.Record.State == DatabaseState.Ready))
        {
            string name = DatabaseName.Folder(row.Record.Name);
            CompactionSwap.Settle(folder, name);
            string path = $"{Databases.DatabasesFolder}/{name}";
            isWhole &= Recover(folder, path, options.Storage with { Name = row.Record.Name }, output, out bool hasGivenUp);
            SideEnvironmentsMaintenance.Recover(folder, path, row.Record, options, hasGivenUp, output);
        }
        return isWhole;
    }

    /// <param name="folder">Of all environments.</param>
    /// <param name="path">Of this one.</param>
    /// <param name="options">How it is opened.</param>
    /// <param name="output">What is told.</param>
    /// <param name="hasGivenUp">Something that had been written is lost.</param>
    private static bool Recover(LinuxDataFolder folder, string path, EnvironmentOptions options, TextWriter output, out bool hasGivenUp)
    {
        hasGivenUp = false;
        try
        {
            output.WriteLine($"{options.Name}: {Describe(Open(folder, path, options))}");
            return true;
        }
        catch (CorruptedDataException damage)
        {
            output.WriteLine($"{options.Name}: {damage.Message}");
        }
        try
        {
            var report = Open(folder, path, options with { AcceptDataLoss = true });
            output.WriteLine($"{options.Name}: {Describe(report)}; given up: {report.GivenUp ?? "nothing"}");
            // Flush runs ahead of the last sync, and what it wrote cannot be taken back.
            hasGivenUp = report.GivenUp is not null;
            if (hasGivenUp)
                output.WriteLine(
                    $"{options.Name}: pages that had been written before may hold parts of "
                        + "what is given up: run `check`, and compare what matters with a backup"
                );
            return true;
        }
        catch (StorageException damage)
        {
            output.WriteLine($"{options.Name}: cannot be opened: {damage.Message}");
            return false;
        }
    }

    private static RecoveryReport Open(LinuxDataFolder folder, string path, EnvironmentOptions options)
    {
        using IDisk disk = folder.OpenDisk(path);
        using var environment = StorageEnvironment.Open(disk, options);
        environment.CloseCleanly();
        return environment.Recovered;
    }

    private static string Describe(RecoveryReport report) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"{report.ReplayedTransactions:N0} transactions replayed from {report.JournalBytes:N0} bytes of journal"
        );
}
