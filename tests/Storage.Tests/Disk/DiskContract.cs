using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Storage.Tests.Disk;

/// <summary>What every disk must do, whatever is behind it.</summary>
public abstract unsafe class DiskContract
{
    /// <summary>A disk with nothing on it.</summary>
    protected abstract IDisk CreateDisk();

    [Theory]
    [InlineData(DiskFileMode.Data)]
    [InlineData(DiskFileMode.Direct)]
    [InlineData(DiskFileMode.Buffered)]
    public void What_was_written_is_read_back_and_the_length_follows(DiskFileMode mode)
    {
        using var disk = CreateDisk();
        using var file = disk.Open("file", mode, create: true);
        using var written = new AlignedBuffer(16384).FillRandomly(1);
        using var read = new AlignedBuffer(32768);
        Assert.Equal(0, file.Length);

        FullWrite.Write(file, 8192, written.Start, written.Length, 4096);

        Assert.Equal(8192 + 16384, file.Length);
        Assert.Equal(8192 + 16384, file.ReadAt(0, read.Start, read.Length));
        Assert.True(read.Span[..8192].IndexOfAnyExcept((byte)0) < 0);
        Assert.True(read.Span.Slice(8192, 16384).SequenceEqual(written.Span));
        Assert.Equal(4096, file.ReadAt(8192 + 12288, read.Start, 8192));
        Assert.Equal(0, file.ReadAt(1 << 20, read.Start, 4096));
    }

    [Fact]
    public void Direct_writes_are_possible_at_the_atomic_unit()
    {
        using var disk = CreateDisk();
        Assert.True(disk.AtomicUnit is 512 or 4096);
        using var file = disk.Open("journal", DiskFileMode.Direct, create: true);
        using var written = new AlignedBuffer(3 * disk.AtomicUnit).FillRandomly(2);
        using var read = new AlignedBuffer(4 * disk.AtomicUnit);

        FullWrite.Write(file, disk.AtomicUnit, written.Start, written.Length, disk.AtomicUnit);

        Assert.Equal(4 * disk.AtomicUnit, file.ReadAt(0, read.Start, read.Length));
        Assert.True(read.Span[disk.AtomicUnit..].SequenceEqual(written.Span));
    }

    [Fact]
    public void A_mapping_made_longer_than_the_file_shows_later_writes_and_growth()
    {
        using var disk = CreateDisk();
        using var file = disk.Open("data", DiskFileMode.Data, create: true);
        using var page = new AlignedBuffer(8192).FillRandomly(3);
        file.Allocate(0, 8192);
        var map = file.Map(1L << 30);
        Assert.Equal(0, map[100]);

        file.WriteAt(0, page.Start, 8192);
        Assert.True(new Span<byte>(map, 8192).SequenceEqual(page.Span));

        file.Allocate(8192, 1 << 20);
        Assert.Equal(8192 + (1 << 20), file.Length);
        file.WriteAt(65536, page.Start, 8192);
        file.BeginWriteBack(65536, 8192);
        file.WaitForWriteBack(65536, 8192);
        file.Sync();
        file.Populate(65000, 9000);
        Assert.True(new Span<byte>(map + 65536, 8192).SequenceEqual(page.Span));
        Assert.Equal(0, map[file.Length - 1]);
    }

    [Fact]
    public void A_punched_range_reads_as_zeros_is_found_as_a_hole_and_can_be_allocated_again()
    {
        using var disk = CreateDisk();
        using var file = disk.Open("data", DiskFileMode.Data, create: true);
        using var content = new AlignedBuffer(4 << 20).FillRandomly(4);
        FullWrite.Write(file, 0, content.Start, content.Length, 1);
        file.Sync();
        var map = file.Map(1L << 30);
        Assert.False(file.TryFindHole(0, out _, out _));

        file.Punch(1 << 20, 2 << 20);

        Assert.Equal(4 << 20, file.Length);
        Assert.True(new Span<byte>(map + (1 << 20), 2 << 20).IndexOfAnyExcept((byte)0) < 0);
        Assert.True(new Span<byte>(map, 1 << 20).SequenceEqual(content.Span[..(1 << 20)]));
        Assert.True(new Span<byte>(map + (3 << 20), 1 << 20).SequenceEqual(content.Span[(3 << 20)..]));
        Assert.True(file.TryFindHole(0, out var hole, out var length));
        Assert.Equal((1 << 20, 2 << 20), (hole, length));
        Assert.True(file.TryFindHole((1 << 20) + 8192, out hole, out length));
        Assert.Equal(((1 << 20) + 8192, (2 << 20) - 8192), (hole, length));
        Assert.False(file.TryFindHole(3 << 20, out _, out _));

        file.Allocate(1 << 20, 2 << 20);
        file.WriteAt(1 << 20, content.Start, 2 << 20);
        file.Sync();
        Assert.True(new Span<byte>(map + (1 << 20), 2 << 20).SequenceEqual(content.Span[..(2 << 20)]));
        Assert.False(file.TryFindHole(0, out _, out _));
    }

    [Fact]
    public void Names_are_listed_in_ordinal_order_renamed_over_one_another_and_deleted()
    {
        using var disk = CreateDisk();
        disk.CreateDirectory("journal");
        disk.CreateDirectory("journal");
        Assert.Empty(disk.List("absent"));
        foreach (var name in new[] { "b", "C", "a" })
        {
            using var file = disk.Open("journal/" + name, DiskFileMode.Buffered, create: true);
            var value = (byte)name[0];
            file.WriteAt(0, &value, 1);
        }
        disk.SyncDirectory("journal");
        Assert.Equal(["C", "a", "b"], disk.List("journal"));
        Assert.True(disk.Exists("journal/a"));
        Assert.False(disk.Exists("journal/d"));
        Assert.True(disk.Exists("journal"));

        disk.Rename("journal/a", "journal/b");
        disk.Delete("journal/C");
        disk.SyncDirectory("journal");
        disk.SyncDirectory("");

        Assert.Equal(["b"], disk.List("journal"));
        using var renamed = disk.Open("journal/b", DiskFileMode.Buffered, create: false);
        byte read;
        Assert.Equal(1, renamed.ReadAt(0, &read, 1));
        Assert.Equal((byte)'a', read);
    }

    [Fact]
    public void An_open_file_outlives_its_name()
    {
        using var disk = CreateDisk();
        using var file = disk.Open("file", DiskFileMode.Data, create: true);
        file.Allocate(0, 4096);
        disk.Delete("file");
        var value = (byte)7;
        file.WriteAt(9, &value, 1);
        byte read;
        Assert.Equal(1, file.ReadAt(9, &read, 1));
        Assert.Equal(7, read);
        Assert.False(disk.Exists("file"));
    }

    [Fact]
    public void What_is_absent_is_a_disk_error_that_names_it()
    {
        using var disk = CreateDisk();
        var missing = Assert.Throws<DiskException>(() => disk.Open("no/such", DiskFileMode.Buffered, create: false));
        Assert.Contains("no/such", missing.Path, StringComparison.Ordinal);
        Assert.Equal(2, missing.Errno);
        Assert.Throws<DiskException>(() => disk.Open("no/such", DiskFileMode.Direct, create: true));
        Assert.Throws<DiskException>(() => disk.Delete("such"));
        Assert.Throws<DiskException>(() => disk.Rename("such", "other"));
        Assert.Throws<DiskException>(() => disk.SyncDirectory("no"));
    }

    [Fact]
    public void A_lock_is_exclusive_names_its_holder_and_ends_with_its_disposal()
    {
        using var disk = CreateDisk();
        using (disk.Lock("lock"))
        {
            var refused = Assert.Throws<EnvironmentLockedException>(() => disk.Lock("lock"));
            Assert.Equal(Environment.ProcessId, refused.HolderProcessId);
        }
        disk.Lock("lock").Dispose();
    }

    [Fact]
    public void There_is_free_space() => Assert.True(CreateDisk().FreeBytes > 1 << 20);
}
