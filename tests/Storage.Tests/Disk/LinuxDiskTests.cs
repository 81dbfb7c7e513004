using System.Globalization;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Storage.Tests.Disk;

public sealed unsafe class LinuxDiskTests : DiskContract, IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-disk-").FullName;

    protected override IDisk CreateDisk() => new LinuxDisk(_folder);

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void The_root_folder_is_made_with_its_parents()
    {
        using var disk = new LinuxDisk(_folder + "/a/b/");
        disk.CreateDirectory("c");
        Assert.Equal(_folder + "/a/b", disk.Description);
        Assert.True(Directory.Exists(_folder + "/a/b/c"));
    }

    [Fact]
    public void The_lock_file_holds_the_process_id_in_decimal()
    {
        File.WriteAllText(_folder + "/lock", "a longer text from another time");
        using var disk = CreateDisk();
        using var held = disk.Lock("lock");
        Assert.Equal(Environment.ProcessId, int.Parse(File.ReadAllText(_folder + "/lock").Trim(), CultureInfo.InvariantCulture));
    }

    [Fact]
    public void A_direct_write_off_the_blocks_is_refused_by_the_kernel_so_the_mode_is_in_force()
    {
        using var disk = CreateDisk();
        using var file = disk.Open("journal", DiskFileMode.Direct, create: true);
        using var buffer = new AlignedBuffer(8192);
        var refused = Assert.Throws<DiskException>(() => file.WriteAt(100, buffer.Start, 4096));
        Assert.Equal(22, refused.Errno);
        Assert.Equal(100, refused.Offset);
        Assert.Equal(_folder + "/journal", refused.Path);
    }

    [Fact]
    public void A_full_device_is_told_as_such()
    {
        using var disk = new LinuxDisk("/dev");
        using var full = disk.Open("full", DiskFileMode.Buffered, create: false);
        using var buffer = new AlignedBuffer(1);
        Assert.Throws<DiskFullException>(() => full.WriteAt(0, buffer.Start, 1));
    }

    [Fact]
    public void More_space_than_the_volume_has_is_refused_as_a_full_disk_and_leaves_the_file_as_it_was()
    {
        using var disk = CreateDisk();
        using var file = disk.Open("data", DiskFileMode.Data, create: true);
        file.Allocate(0, 4096);
        Assert.Throws<DiskFullException>(() => file.Allocate(4096, disk.FreeBytes + (64L << 30)));
        Assert.Equal(4096, file.Length);
    }

    [Fact]
    public void A_memory_file_system_serves_as_well()
    {
        if (!Directory.Exists("/dev/shm"))
            return;
        var folder = Directory.CreateDirectory($"/dev/shm/jackdaw-disk-{Guid.NewGuid():N}").FullName;
        try
        {
            using var disk = new LinuxDisk(folder);
            using var file = disk.Open("journal", DiskFileMode.Direct, create: true);
            using var buffer = new AlignedBuffer(4096).FillRandomly(9);
            FullWrite.Write(file, 4096, buffer.Start, 4096, 4096);
            file.Allocate(8192, 1 << 20);
            Assert.Equal(8192 + (1 << 20), file.Length);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
