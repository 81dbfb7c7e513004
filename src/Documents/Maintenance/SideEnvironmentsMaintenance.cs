using Jackdaw.Documents.Hosting;
using Jackdaw.Documents.Rooms;
using Jackdaw.Storage;
using Jackdaw.Storage.Checking;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents.Maintenance;

/// <summary>
/// What maintenance does with the environments that rooms keep below a database's folder (<see cref="Room.EnvironmentsFolder"/>). Each can
/// be made again from the documents: one that is damaged is told, and never a reason to keep a database from its command.
/// </summary>
internal static class SideEnvironmentsMaintenance
{
    public delegate bool CheckPrinter(string name, CheckReport report, IReadOnlyList<string> findings, TextWriter output);

    /// <summary>Verifies each. False when anything is wrong with any.</summary>
    public static bool Check(IDataFolder folder, DatabaseRecord record, DatabasesOptions options, CheckPrinter print, TextWriter output)
    {
        bool isSound = true;
        foreach (var (room, path, name) in Of(folder, PathOf(record), record, options))
        {
            try
            {
                using var disk = folder.OpenDisk(path);
                using var environment = StorageEnvironment.Open(disk, OpeningOptions(options, name));
                var report = environment.Check([]);
                var findings = new List<string>();
                if (report.IsSound)
                    room.CheckEnvironment(environment, findings.Add);
                isSound &= print(name, report, findings, output);
                environment.CloseCleanly();
            }
            catch (StorageException damage)
            {
                output.WriteLine($"{name}: {damage.Message} It will be built again when the database opens.");
                isSound = false;
            }
        }
        return isSound;
    }

    /// <summary>Copies each into a database's compacted copy, without free space. One that cannot be copied is left out, and
    /// told.</summary>
    public static void Copy(
        IDataFolder folder,
        string source,
        string target,
        DatabaseRecord record,
        DatabasesOptions options,
        TextWriter output
    )
    {
        foreach (var (_, path, name) in Of(folder, source, record, options))
        {
            string copy = target + path[source.Length..];
            try
            {
                CopyOne(folder, path, copy, OpeningOptions(options, name));
            }
            catch (StorageException damage)
            {
                folder.DeleteFolder(copy);
                output.WriteLine($"{name}: {damage.Message} It was left out, and will be built again when the database opens.");
            }
        }
    }

    /// <summary>
    /// Deletes those that cannot be opened, and all of a database that has given something up: what they hold may be of documents that
    /// are lost. They are built again when the database opens.
    /// </summary>
    public static void Recover(
        IDataFolder folder,
        string databasePath,
        DatabaseRecord record,
        DatabasesOptions options,
        bool hasGivenUp,
        TextWriter output
    )
    {
        foreach (var (_, path, name) in Of(folder, databasePath, record, options))
        {
            string? reason = hasGivenUp ? "The database has lost writes." : WhyItDoesNotOpen(folder, path, OpeningOptions(options, name));
            if (reason is null)
                continue;
            folder.DeleteFolder(path);
            output.WriteLine($"{name}: {reason} It was deleted, and will be built again when the database opens.");
        }
    }

    private static string? WhyItDoesNotOpen(IDataFolder folder, string path, EnvironmentOptions options)
    {
        try
        {
            using var disk = folder.OpenDisk(path);
            using var environment = StorageEnvironment.Open(disk, options);
            environment.CloseCleanly();
            return null;
        }
        catch (CorruptedDataException damage)
        {
            return damage.Message;
        }
    }

    private static void CopyOne(IDataFolder folder, string from, string to, EnvironmentOptions options)
    {
        using var sourceDisk = folder.OpenDisk(from);
        using var source = StorageEnvironment.Open(sourceDisk, options);
        using var targetDisk = folder.OpenDisk(to);
        using var target = StorageEnvironment.Open(targetDisk, options with { Name = options.Name + " (compacting)", MayCreate = true });
        source.CompactInto(target);
        target.CloseCleanly();
        source.CloseCleanly();
    }

    private static IEnumerable<(Room Room, string Path, string Name)> Of(
        IDataFolder folder,
        string databasePath,
        DatabaseRecord record,
        DatabasesOptions options
    )
    {
        foreach (var room in options.Rooms)
        {
            if (room.EnvironmentsFolder is not { } own)
                continue;
            foreach (string name in folder.Folders($"{databasePath}/{own}"))
                yield return (room, $"{databasePath}/{own}/{name}", $"{record.Name}/{own}/{name}");
        }
    }

    private static string PathOf(DatabaseRecord record) => $"{Databases.DatabasesFolder}/{DatabaseName.Folder(record.Name)}";

    /// <summary>One command, one thread: each commit is written at once.</summary>
    private static EnvironmentOptions OpeningOptions(DatabasesOptions options, string name) =>
        SideEnvironments.Options(options.Storage, name, isInMemory: false) with
        {
            Durability = Durability.EachCommit,
            MayCreate = false,
        };
}
