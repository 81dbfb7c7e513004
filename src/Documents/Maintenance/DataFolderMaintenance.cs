using System.Globalization;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Hosting;
using Jackdaw.Documents.Layout;
using Jackdaw.Storage;
using Jackdaw.Storage.Checking;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Tables;

namespace Jackdaw.Documents.Maintenance;

/// <summary>
/// What is done to a stopped server's data folder from the command line. Each method takes the folder's locks (an
/// <see cref="EnvironmentLockedException"/> when a
/// server has it) and recovers what a crash left, as a start would.
/// </summary>
public static class DataFolderMaintenance
{
    /// <summary>A compacted file ends close behind its last page.</summary>
    private const long GrowthStepBytes = 1 << 20;

    private const int DeadRowsAtOnce = 2000;

    /// <summary>
    /// Verifies every environment: each page reachable or free, each checksum, each structure, each index of each table; then the
    /// documents: counters, collections,
    /// ids, etags, JSON. Prints a table an environment and what is wrong. False when anything is.
    /// </summary>
    public static bool Check(DatabasesOptions options, TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(output);
        RequireFolder(options.DataDir);
        options = OfWhatIsThere(options);
        using var folder = new LinuxDataFolder(options.DataDir);
        using var catalogue = new Catalogue(folder.OpenDisk(Databases.SystemFolder), options.Storage);
        bool isSound = Print("System", catalogue.Check(), [], output);
        foreach (var row in catalogue.Rows())
        {
            if (row.Record.State != DatabaseState.Ready)
                output.WriteLine($"{row.Record.Name}: {row.Record.State}, settled at the next start");
            else
                isSound &= CheckDatabase(folder, row.Record, options, output);
        }
        return isSound;
    }

    /// <summary>
    /// Rewrites every database without free space: a copy is made beside it and takes its place when it is complete and durable.
    /// A crash at any moment leaves the old
    /// or the new one. Needs the room for the copy.
    /// </summary>
    public static void Compact(DatabasesOptions options, TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(output);
        RequireFolder(options.DataDir);
        options = OfWhatIsThere(options);
        using var folder = new LinuxDataFolder(options.DataDir);
        using var catalogue = new Catalogue(folder.OpenDisk(Databases.SystemFolder), options.Storage);
        foreach (var row in catalogue.Rows())
        {
            if (row.Record.State != DatabaseState.Ready)
                continue;
            string name = DatabaseName.Folder(row.Record.Name);
            CompactionSwap.Settle(folder, name);
            string source = $"{Databases.DatabasesFolder}/{name}";
            long before = DataFileBytes(options, source);
            string copy = CompactionSwap.NewCopy(folder, name);
            Copy(folder, source, copy, row.Record, options);
            SideEnvironmentsMaintenance.Copy(folder, source, copy, row.Record, options, output);
            CompactionSwap.Swap(folder, name);
            output.WriteLine(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"{row.Record.Name}: data file {before:N0} bytes before, {DataFileBytes(options, source):N0} after"
                )
            );
        }
        CompactionSwap.RemoveEmptyFolders(folder);
    }

    private static bool CheckDatabase(LinuxDataFolder folder, DatabaseRecord record, DatabasesOptions options, TextWriter output)
    {
        string name = DatabaseName.Folder(record.Name);
        CompactionSwap.Settle(folder, name);
        try
        {
            using var disk = folder.OpenDisk($"{Databases.DatabasesFolder}/{name}");
            using var environment = StorageEnvironment.Open(disk, options.Storage with { Name = record.Name });
            DatabaseFormat.Ensure(environment, record.Id);
            var report = environment.Check([Schema.Documents, Schema.Tombstones, .. options.Rooms.SelectMany(room => room.Tables)]);
            // Rows of a damaged structure cannot be read in order; the structure's own findings come first.
            IReadOnlyList<string> findings = report.IsSound
                ? [.. DocumentsCheck.Run(environment), .. RoomsCheck.Run(environment, options.Rooms)]
                : [];
            bool isSound = Print(record.Name, report, findings, output);
            environment.CloseCleanly();
            return SideEnvironmentsMaintenance.Check(folder, record, options, Print, output) && isSound;
        }
        catch (StorageException damage)
        {
            output.WriteLine($"{record.Name}: {damage.Message}");
            return false;
        }
    }

    private static bool Print(string name, CheckReport report, IReadOnlyList<string> findings, TextWriter output)
    {
        output.WriteLine($"== {name}");
        report.WriteTo(output);
        foreach (string finding in findings)
            output.WriteLine(finding);
        return report.IsSound && findings.Count == 0;
    }

    private static void Copy(LinuxDataFolder folder, string from, string to, DatabaseRecord record, DatabasesOptions options)
    {
        using var sourceDisk = folder.OpenDisk(from);
        using var source = StorageEnvironment.Open(sourceDisk, options.Storage with { Name = record.Name });
        DatabaseFormat.Ensure(source, record.Id);
        RemoveDeadRows(source, Schema.Documents);
        foreach (var table in options.Rooms.SelectMany(room => room.Tables).Where(table => table.KeepsDeadRows))
            RemoveDeadRows(source, table);
        using var targetDisk = folder.OpenDisk(to);
        using var target = StorageEnvironment.Open(
            targetDisk,
            options.Storage with
            {
                Name = record.Name + " (compacting)",
                MaxGrowthStepBytes = GrowthStepBytes,
                MayCreate = true,
            }
        );
        source.CompactInto(target);
        target.CloseCleanly();
        source.CloseCleanly();
    }

    /// <summary>A copy would take them along.</summary>
    private static void RemoveDeadRows(StorageEnvironment source, TableSchema table)
    {
        int removed;
        do
        {
            using (var writer = source.BeginWrite())
            {
                removed = writer.Catalog.OpenTable(table).Vacuum(share: 0, DeadRowsAtOnce);
                if (removed > 0)
                    writer.Commit();
            }
            while (source.RunJournalStep()) { }
            while (source.RunSpareStep()) { }
            if (source.ScratchPressure > 0.25)
                source.FlushAndSync();
        } while (removed > 0);
    }

    /// <summary>What is missing is told, not made.</summary>
    internal static DatabasesOptions OfWhatIsThere(DatabasesOptions options) =>
        options with
        {
            Storage = options.Storage with { MayCreate = false },
        };

    /// <summary>Journal files are allocated ahead, whatever is in the database: they would hide what compaction does.</summary>
    private static long DataFileBytes(DatabasesOptions options, string folder)
    {
        var file = new FileInfo(Path.Combine(options.DataDir, folder, "data"));
        return file.Exists ? file.Length : 0;
    }

    /// <summary>A mistyped folder is told, not made.</summary>
    internal static void RequireFolder(string dataDir)
    {
        if (!Directory.Exists(dataDir))
            throw new UnsupportedFormatException(dataDir, "there is no such folder.");
        using var folder = new LinuxDataFolder(dataDir);
        if (!CatalogueOpening.IsMissing(folder))
            return;
        if (CatalogueOpening.FoldersOfDatabases(folder) is { Count: > 0 } found)
            throw new CatalogueMissingException(dataDir, found);
        throw new UnsupportedFormatException(dataDir, $"it is no data folder: there is no '{Databases.SystemFolder}' in it.");
    }
}
