using System.Runtime.InteropServices;

namespace Jackdaw.Simulation.Medium;

/// <summary>Zeroed memory of a fixed reservation, of which only what is touched exists. Kept and used again by the thread that
/// gave it back.</summary>
internal sealed unsafe partial class MemoryRegion
{
    /// <summary>The largest file of a simulation, in bytes.</summary>
    public const int Capacity = 64 << 20;

    private const int MostKept = 64;
    private const int DontNeed = 4;

    /// <summary>Below this, clearing is cheaper than faulting pages in again.</summary>
    private const int WorthKeeping = 2 << 20;

    [ThreadStatic]
    private static Stack<MemoryRegion>? _free;

    private MemoryRegion()
    {
        const int ProtReadWrite = 3;
        const int MapPrivateAnonymousNoReserve = 0x4022;
        var address = MMap(0, Capacity, ProtReadWrite, MapPrivateAnonymousNoReserve, -1, 0);
        if (address == -1)
            throw new InvalidOperationException("No address space for the simulation.");
        Start = (byte*)address;
    }

    public byte* Start { get; }

    public static MemoryRegion Take() => (_free ??= []).TryPop(out var region) ? region : new MemoryRegion();

    /// <param name="used">Bytes from the start that may not be zero.</param>
    public void Return(long used)
    {
        if (used > WorthKeeping)
            _ = MAdvise((nint)Start, Capacity, DontNeed);
        else
            NativeMemory.Clear(Start, (nuint)used);
        _free ??= [];
        if (_free.Count < MostKept)
            _free.Push(this);
        else
            _ = MUnmap((nint)Start, Capacity);
    }

    [LibraryImport("libc", EntryPoint = "mmap")]
    private static partial nint MMap(nint address, nint length, int protection, int flags, int fd, long offset);

    [LibraryImport("libc", EntryPoint = "munmap")]
    private static partial int MUnmap(nint address, nint length);

    [LibraryImport("libc", EntryPoint = "madvise")]
    private static partial int MAdvise(nint address, nint length, int advice);
}
