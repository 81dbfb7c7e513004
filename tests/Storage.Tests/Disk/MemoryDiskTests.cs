using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Storage.Tests.Disk;

public sealed unsafe class MemoryDiskTests : DiskContract
{
    protected override IDisk CreateDisk() => new MemoryDisk();

    [Fact]
    public void Growth_past_the_reserved_address_space_is_a_full_disk()
    {
        using var disk = CreateDisk();
        using var file = disk.Open("data", DiskFileMode.Data, create: true);
        Assert.Throws<DiskFullException>(() => file.Allocate(0, MemoryDisk.MaxDataFileBytes + 1));
        Assert.Equal(0, file.Length);
    }

    [Fact]
    public void Files_last_as_long_as_the_disk_even_when_no_handle_is_open()
    {
        using var disk = CreateDisk();
        var value = (byte)5;
        using (var file = disk.Open("data", DiskFileMode.Data, create: true))
            file.WriteAt(70000, &value, 1);
        using var again = disk.Open("data", DiskFileMode.Data, create: false);
        Assert.Equal(70001, again.Length);
        Assert.Equal(5, again.Map(1 << 20)[70000]);
        Assert.True(again.TryFindHole(0, out var hole, out var length));
        Assert.Equal((0, 69632), (hole, length));
    }
}
