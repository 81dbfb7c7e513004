using Jackdaw.Simulation.Medium;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Tests.Disk;
using Xunit;

namespace Jackdaw.Storage.Tests.Simulation;

public sealed unsafe class SimulatedDiskTests : DiskContract
{
    protected override IDisk CreateDisk() => NewDisk(1);

    [Fact]
    public void What_was_synced_survives_every_power_cut()
    {
        for (var seed = 0UL; seed < 50; seed++)
        {
            using var disk = NewDisk(seed);
            using var old = new AlignedBuffer(8192).FillRandomly(1);
            using var read = new AlignedBuffer(8192);
            using (var file = disk.Open("data", DiskFileMode.Data, create: true))
            {
                file.WriteAt(0, old.Start, 8192);
                file.Sync();
                disk.SyncDirectory("");
            }
            disk.Restart(powerCut: true);
            using var again = disk.Open("data", DiskFileMode.Data, create: false);
            Assert.Equal(8192, again.ReadAt(0, read.Start, 8192));
            Assert.True(read.Span.SequenceEqual(old.Span));
        }
    }

    [Fact]
    public void An_unsynced_write_is_kept_lost_or_torn_at_the_atomic_unit_and_nothing_else()
    {
        var fates = new HashSet<string>();
        for (var seed = 0UL; seed < 100; seed++)
        {
            using var disk = NewDisk(seed);
            using var old = new AlignedBuffer(8192);
            using var fresh = new AlignedBuffer(8192);
            old.Span.Fill(1);
            fresh.Span.Fill(2);
            using var file = disk.Open("data", DiskFileMode.Data, create: true);
            file.WriteAt(0, old.Start, 8192);
            file.Sync();
            disk.SyncDirectory("");
            file.WriteAt(0, fresh.Start, 8192);
            disk.Restart(powerCut: true);

            var content = disk.Content("data");
            var blocks = 0;
            for (var i = 0; i < 8192; i += 512)
            {
                Assert.True(content.Slice(i, 512).IndexOfAnyExcept(content[i]) < 0);
                Assert.True(content[i] is 1 or 2);
                blocks += content[i] == 2 ? 1 : 0;
            }
            fates.Add(
                blocks switch
                {
                    0 => "lost",
                    16 => "kept",
                    _ => "torn",
                }
            );
        }
        Assert.Equal(["kept", "lost", "torn"], fates.Order());
    }

    [Fact]
    public void A_failed_sync_leaves_a_cache_that_lies_and_a_next_sync_that_succeeds()
    {
        var lost = 0;
        for (var seed = 0UL; seed < 20; seed++)
        {
            using var disk = NewDisk(seed);
            using var bytes = new AlignedBuffer(4096);
            bytes.Span.Fill(7);
            using var file = disk.Open("data", DiskFileMode.Data, create: true);
            file.Allocate(0, 4096);
            file.Sync();
            disk.SyncDirectory("");
            file.WriteAt(0, bytes.Start, 4096);
            disk.Faults = new DiskFaults { SyncError = 1 };
            Assert.Equal(5, Assert.Throws<DiskException>(file.Sync).Errno);
            file.Sync();
            disk.Restart(powerCut: false);
            Assert.Equal(7, disk.Content("data")[0]);
            disk.Restart(powerCut: true);
            lost += disk.Content("data")[0] == 0 ? 1 : 0;
        }
        Assert.InRange(lost, 1, 19);
    }

    [Fact]
    public void A_name_is_certain_only_after_its_folder_was_synced()
    {
        var seen = new HashSet<string>();
        for (var seed = 0UL; seed < 50; seed++)
        {
            using var disk = NewDisk(seed);
            disk.CreateDirectory("journal");
            disk.SyncDirectory("");
            disk.Open("journal/a", DiskFileMode.Direct, create: true).Dispose();
            disk.SyncDirectory("journal");
            disk.Rename("journal/a", "journal/b");
            disk.Open("journal/c", DiskFileMode.Direct, create: true).Dispose();
            disk.Restart(powerCut: true);
            seen.Add(string.Join(' ', disk.List("journal")));
        }
        Assert.Equal(["a", "a c", "b", "b c"], seen.Order());
    }

    [Fact]
    public void A_direct_write_is_durable_when_it_returns_and_torn_when_it_is_cut()
    {
        for (var seed = 0UL; seed < 30; seed++)
        {
            using var disk = NewDisk(seed);
            using var first = new AlignedBuffer(2048);
            using var second = new AlignedBuffer(2048);
            first.Span.Fill(1);
            second.Span.Fill(2);
            using var file = disk.Open("journal", DiskFileMode.Direct, create: true);
            disk.SyncDirectory("");
            file.WriteAt(0, first.Start, 2048);
            disk.CutPowerIn(1);
            Assert.Throws<PowerCutException>(() => file.WriteAt(512, second.Start, 2048));
            Assert.Throws<PowerCutException>(() => file.ReadAt(0, first.Start, 512));
            disk.Restart(powerCut: true);
            var content = disk.Content("journal");
            Assert.True(content[..512].IndexOfAnyExcept((byte)1) < 0);
            for (var i = 512; i < content.Length; i += 512)
                Assert.True(content.Slice(i, 512).IndexOfAnyExcept(content[i]) < 0);
        }
    }

    [Fact]
    public void Misaligned_direct_writes_are_refused_as_the_kernel_refuses_them()
    {
        using var disk = NewDisk(1);
        using var file = disk.Open("journal", DiskFileMode.Direct, create: true);
        using var buffer = new AlignedBuffer(4096);
        Assert.Equal(22, Assert.Throws<DiskException>(() => file.WriteAt(100, buffer.Start, 512)).Errno);
        Assert.Equal(22, Assert.Throws<DiskException>(() => file.WriteAt(0, buffer.Start + 8, 512)).Errno);
    }

    [Fact]
    public void A_full_disk_refuses_growth_and_goes_on_with_what_it_has()
    {
        using var disk = NewDisk(1);
        using var file = disk.Open("journal", DiskFileMode.Direct, create: true);
        using var buffer = new AlignedBuffer(4096);
        file.WriteAt(0, buffer.Start, 4096);
        disk.IsFull = true;
        file.WriteAt(0, buffer.Start, 4096);
        Assert.Throws<DiskFullException>(() => file.WriteAt(4096, buffer.Start, 4096));
        Assert.Throws<DiskFullException>(() => file.Allocate(0, 8192));
        Assert.Throws<DiskFullException>(() => disk.Open("other", DiskFileMode.Direct, create: true));
    }

    private static SimulatedDisk NewDisk(ulong seed) => new(new SimulatedRandom(seed), 512, new SimulatedClock(), new OperationTrace());
}
