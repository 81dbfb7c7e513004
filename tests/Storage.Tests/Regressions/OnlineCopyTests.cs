using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Tests.Journal;
using Xunit;

namespace Jackdaw.Storage.Tests.Regressions;

/// <summary>Ways in which an online copy was no copy.</summary>
public sealed class OnlineCopyTests
{
    /// <summary>
    /// The copy's journal files were allocated at full length and written directly, which makes the bytes durable, but not the
    /// length. After a
    /// power cut the file ended with its last record, and opening refused it as cut off. Each file is now synced when it is complete.
    /// </summary>
    [Fact]
    public void A_copy_that_is_complete_survives_a_power_cut()
    {
        for (var seed = 0UL; seed < 20; seed++)
        {
            using var disk = SimulatedMachine.NewDisk(seed);
            using var target = SimulatedMachine.NewDisk(seed + 100);
            var environment = SimulatedMachine.Open(disk, seed);
            SimulatedMachine.Put(environment, "first");
            Copy(environment, target);
            target.Restart(powerCut: true);
            AssertHolds(target, "first");
            SimulatedMachine.Kill(disk, environment, powerCut: false);
        }
    }

    /// <summary>
    /// The copy took the journal's sequence numbers for consecutive. A record larger than a journal file gets one of its own, and
    /// the spare whose
    /// number comes before is passed over and may be deleted: the copy failed on the missing file.
    /// </summary>
    [Fact]
    public void A_copy_passes_over_numbers_that_no_journal_file_was_used_with()
    {
        using var disk = SimulatedMachine.NewDisk(1);
        using var target = SimulatedMachine.NewDisk(2);
        var environment = SimulatedMachine.Open(disk, 1);
        var copy = environment.BeginCopy(target);
        while (environment.RunSpareStep()) { }
        SimulatedMachine.Put(environment, "first");
        // Zeros at the end of a page are not journaled, and what compresses may fit the current file after all.
        var large = new byte[300_000];
        new Random(1).NextBytes(large);
        SimulatedMachine.Put(environment, "large", large);
        SimulatedMachine.Put(environment, "last", large[..30_000]);
        while (environment.RunSpareStep()) { }
        var numbers = disk.FilesUnder("journal").Select(file => Convert.ToInt64(Path.GetFileName(file.Path), 16)).Order().ToArray();
        Assert.True(numbers[^1] - numbers[0] >= numbers.Length, $"no number is missing among {string.Join(", ", numbers)}");
        using (copy)
        {
            while (copy.Step()) { }
        }
        AssertHolds(target, "first", "large", "last");
        SimulatedMachine.Kill(disk, environment, powerCut: false);
    }

    /// <summary>
    /// A journal in which a bit had flipped was copied as it was, and the copy was called complete: it could not be opened, which
    /// nobody learned before it was needed. The copied
    /// records are now read before the copy gets its headers.
    /// </summary>
    [Fact]
    public void A_copy_of_a_damaged_journal_is_refused_while_it_is_made()
    {
        using var disk = SimulatedMachine.NewDisk(3);
        using var target = SimulatedMachine.NewDisk(4);
        var environment = SimulatedMachine.Open(disk, 3);
        SimulatedMachine.Put(environment, "first", valueBytes: 3000);
        SimulatedMachine.Put(environment, "second", valueBytes: 3000);
        var path = disk.FilesUnder("journal")
            .Select(file => file.Path)
            .First(file => disk.Content(file)[4096..].ContainsAnyExcept((byte)0));
        var offset = Math.Max(4096, disk.Content(path).LastIndexOfAnyExcept((byte)0) - 2000);
        disk.Damage(path, offset, bytes => bytes[0] ^= 4);

        var damage = Assert.Throws<CorruptedDataException>(() => Copy(environment, target));

        Assert.EndsWith(path, damage.Path, StringComparison.Ordinal);
        Assert.InRange(damage.Offset, 1, offset);
        Assert.Throws<CorruptedDataException>(() => SimulatedMachine.Open(target, 77));
        SimulatedMachine.Kill(disk, environment, powerCut: false);
    }

    /// <summary>
    /// Such a spare may also go in the very moment in which the copy comes to it: it was still there when the copy asked, was
    /// gone when it was opened, and the copy failed.
    /// </summary>
    [Fact]
    public void A_copy_passes_over_a_spare_that_goes_while_it_is_being_opened()
    {
        using var disk = new FaultyDisk();
        using var target = SimulatedMachine.NewDisk(6);
        var environment = SimulatedMachine.Open(disk, 5);
        var copy = environment.BeginCopy(target);
        while (environment.RunSpareStep()) { }
        var files = disk.List("journal");
        SimulatedMachine.Put(environment, "first");
        var large = new byte[300_000];
        new Random(1).NextBytes(large);
        SimulatedMachine.Put(environment, "large", large);
        SimulatedMachine.Put(environment, "last", large[..30_000]);
        var passedOver = $"journal/{files[^1]}";
        var opened = 0;
        disk.Opening = path =>
        {
            if (path == passedOver && opened++ == 0)
                while (environment.RunSpareStep()) { }
        };
        using (copy)
        {
            while (copy.Step()) { }
        }
        Assert.Equal(1, opened);
        Assert.False(disk.Exists(passedOver));
        AssertHolds(target, "first", "large", "last");
        environment.Dispose();
    }

    private static void Copy(StorageEnvironment environment, Jackdaw.Simulation.Medium.SimulatedDisk target)
    {
        using var copy = environment.BeginCopy(target);
        while (copy.Step()) { }
    }

    private static void AssertHolds(Jackdaw.Simulation.Medium.SimulatedDisk disk, params string[] keys)
    {
        var environment = SimulatedMachine.Open(disk, 77);
        Assert.All(keys, key => Assert.True(SimulatedMachine.Has(environment, key), key));
        SimulatedMachine.Kill(disk, environment, powerCut: false);
    }
}
