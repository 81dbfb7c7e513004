using System.Text;
using Jackdaw.Simulation.Following;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Documents.Tests;

public sealed class SystemRowsTests : IDisposable
{
    private const string Tree = "certificates";

    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-system-rows-").FullName;

    private DatabasesOptions Options => new() { DataDir = _folder, Storage = s_storage };

    private static readonly EnvironmentOptions s_storage = new() { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 };

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Rows_survive_a_restart_beside_the_databases_and_are_there_for_a_stopped_folder()
    {
        await using (var databases = Databases.Open(Options))
        {
            var rows = databases.SystemRows(Tree, 1);
            Assert.Empty(All(rows));
            await rows.PutAsync([1], "one"u8.ToArray());
            await databases.CreateAsync("db", default);
            await rows.PutAsync([2], "two"u8.ToArray());
            await rows.PutAsync([1], "another one"u8.ToArray());
            Assert.Equal("two", Encoding.UTF8.GetString(rows.Find([2])!));
            Assert.Throws<EnvironmentLockedException>(() => StoppedSystem.Open(Options));
        }
        Assert.True(StoppedSystem.IsThere(Options));
        using (var stopped = StoppedSystem.Open(Options))
        {
            var rows = stopped.Rows(Tree, 1);
            Assert.Equal(["01 another one", "02 two"], All(rows));
            await rows.RemoveAsync([1]);
            Assert.Null(rows.Find([1]));
        }
        await using (var databases = Databases.Open(Options))
        {
            Assert.Equal(["02 two"], All(databases.SystemRows(Tree, 1)));
            Assert.NotNull(databases.Record("db"));
        }
    }

    [Fact]
    public async Task Rows_of_another_format_are_refused_with_both_formats_named()
    {
        using (var stopped = StoppedSystem.Open(Options))
            await stopped.Rows(Tree, 2).PutAsync([1], [1]);
        await using var databases = Databases.Open(Options);
        var refusal = Assert.Throws<UnsupportedFormatException>(() => databases.SystemRows(Tree, 1));
        Assert.Contains("certificates", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("format 2", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("reads format 1", refusal.Message, StringComparison.Ordinal);
        Assert.Empty(All(databases.SystemRows("others", 1)));
    }

    [Fact]
    public void A_folder_that_is_not_there_is_told_from_one_that_is()
    {
        var nowhere = Options with { DataDir = Path.Combine(_folder, "nowhere") };
        Assert.False(StoppedSystem.IsThere(nowhere));
        using (var made = StoppedSystem.Open(nowhere))
            Assert.Empty(All(made.Rows(Tree, 1)));
        Assert.True(StoppedSystem.IsThere(nowhere));
    }

    /// <summary>The oracle: what was acknowledged, and the one change whose outcome the power cut left open.</summary>
    [Fact]
    public void After_a_power_cut_each_acknowledged_change_is_there_and_the_last_one_wholly_or_not_at_all()
    {
        for (ulong seed = 1; seed <= 150; seed++)
            RunHistory(seed);
    }

    private static void RunHistory(ulong seed)
    {
        var random = new SimulatedRandom(seed);
        using var disk = new SimulatedDisk(random, 512, new SimulatedClock(), new OperationTrace());
        var acknowledged = new SortedDictionary<byte, byte[]>();
        SortedDictionary<byte, byte[]>? open = null;
        const int Sessions = 5;
        for (int session = 0; session < Sessions; session++)
        {
            if (session < Sessions - 1)
                disk.CutPowerIn(20 + random.Next(400));
            Catalogue? catalogue = null;
            try
            {
                disk.CreateDirectory("System");
                disk.SyncDirectory("");
                catalogue = new Catalogue(new FolderDisk(disk, "System"), s_storage);
                using var gate = new SemaphoreSlim(1);
                var rows = new SystemRows(catalogue, gate, Tree, 1);
                if (open is not null && Same(open, rows))
                    acknowledged = open;
                open = null;
                Assert.True(
                    Same(acknowledged, rows),
                    $"Seed {seed}: {acknowledged.Count} rows were acknowledged, found are {All(rows).Count}, or others."
                );
                for (int change = 0; session < Sessions - 1 || change < 5; change++)
                {
                    open = new SortedDictionary<byte, byte[]>(acknowledged);
                    Change(rows, open, random);
                    acknowledged = open;
                    open = null;
                }
            }
            catch (Exception end) when (end is PowerCutException or StorageException)
            {
                // Comes at any moment, also while the environment is opened.
            }
            disk.Detach();
            try
            {
                catalogue?.Dispose();
            }
            catch (Exception end) when (end is PowerCutException or StorageException)
            {
                // The process is gone; this only gives its memory back.
            }
            disk.Restart(powerCut: true);
        }
    }

    private static void Change(SystemRows rows, SortedDictionary<byte, byte[]> expected, SimulatedRandom random)
    {
        byte key = (byte)random.Next(20);
        if (random.OneIn(3) && expected.Remove(key))
        {
            rows.RemoveAsync([key]).GetAwaiter().GetResult();
            return;
        }
        byte[] row = new byte[random.Next(3000)];
        Array.Fill(row, (byte)random.Next(256));
        expected[key] = row;
        rows.PutAsync([key], row).GetAwaiter().GetResult();
    }

    private static bool Same(SortedDictionary<byte, byte[]> expected, SystemRows rows)
    {
        var found = new SortedDictionary<byte, byte[]>();
        rows.ReadAll((key, row) => found.Add(key[0], row.ToArray()));
        return found.Keys.SequenceEqual(expected.Keys) && found.All(row => row.Value.AsSpan().SequenceEqual(expected[row.Key]));
    }

    private static List<string> All(SystemRows rows)
    {
        var all = new List<string>();
        rows.ReadAll((key, row) => all.Add($"{Convert.ToHexString(key)} {Encoding.UTF8.GetString(row)}"));
        return all;
    }
}
