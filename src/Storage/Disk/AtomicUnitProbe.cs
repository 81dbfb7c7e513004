using System.Globalization;
using System.Runtime.InteropServices;

namespace Jackdaw.Storage.Disk;

/// <summary>
/// Finds the bytes that a folder's device writes atomically: its physical block size (Documentation/ABI/stable/sysfs-block), at least what
/// its file system accepts for O_DIRECT; 512 or 4,096.
/// </summary>
internal static unsafe class AtomicUnitProbe
{
    public const int Small = 512;
    public const int Large = 4096;

    public static int Of(string folder)
    {
        var reported = ReportedByDevice(folder);
        return reported >= Large || RefusesSmallDirectWrites(folder) ? Large : Small;
    }

    /// <summary>The physical block size, or 512 when the folder is on no block device (overlay, network, memory).</summary>
    private static int ReportedByDevice(string folder)
    {
        LinuxCalls.StatXResult stat;
        if (LinuxCalls.StatX(LinuxCalls.AT_FDCWD, folder, 0, LinuxCalls.STATX_BASIC_STATS, &stat) != 0)
            throw LinuxErrors.MakeLast(folder, "statx", 0);
        var device = string.Create(CultureInfo.InvariantCulture, $"/sys/dev/block/{stat.DeviceMajor}:{stat.DeviceMinor}");
        // A partition has no queue of its own; its parent, the whole disk, has.
        foreach (var queue in new[] { device + "/queue", device + "/../queue" })
        {
            var file = queue + "/physical_block_size";
            if (
                File.Exists(file)
                && int.TryParse(
                    File.ReadAllText(file),
                    NumberStyles.Integer | NumberStyles.AllowTrailingWhite,
                    CultureInfo.InvariantCulture,
                    out var size
                )
            )
                return size;
        }
        return Small;
    }

    /// <summary>Tries a 512-byte direct write on an unnamed file, which leaves nothing behind. File systems without such files or
    /// without O_DIRECT refuse nothing.</summary>
    private static bool RefusesSmallDirectWrites(string folder)
    {
        using var fd = FileDescriptor.TryOpen(folder, LinuxCalls.O_TMPFILE | LinuxCalls.O_RDWR | LinuxCalls.O_DIRECT, 0x180, out _);
        if (fd.IsInvalid)
            return false;
        var buffer = (byte*)NativeMemory.AlignedAlloc(Large, Large);
        try
        {
            NativeMemory.Clear(buffer, Large);
            return LinuxCalls.PWrite(fd, buffer, Small, 0) < 0 && LinuxErrors.Last() == LinuxCalls.EINVAL;
        }
        finally
        {
            NativeMemory.AlignedFree(buffer);
        }
    }
}
