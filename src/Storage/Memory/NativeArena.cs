using System.Runtime.InteropServices;
using Jackdaw.Storage.Disk;

namespace Jackdaw.Storage.Memory;

/// <summary>
/// Native memory with an account: every allocation of the engine that grows with the data belongs to an arena, whose owner's name
/// statistics show. Large pieces are mappings of their own: the system has them back as soon as they are freed, and of their bytes only
/// those that were touched are resident. Thread-safe.
/// </summary>
public sealed unsafe class NativeArena : IDisposable
{
    /// <summary>
    /// From so many bytes on a piece is a mapping of its own. The C library raises its own bound, up to 32 MB, with each larger piece that
    /// is freed, and then keeps what lies between pieces that are still in use.
    /// </summary>
    public const long LeastMappedBytes = 256 << 10;

    private const int SystemPageBytes = 4096;
    private static readonly Lock RegistryLock = new();
    private static readonly List<NativeArena> Registry = [];
    private long _bytes;

    /// <summary>Creates an empty arena whose memory is counted under <paramref name="owner"/>.</summary>
    public NativeArena(string owner)
    {
        Owner = owner;
        lock (RegistryLock)
            Registry.Add(this);
    }

    /// <summary>Under whose name its memory is counted.</summary>
    public string Owner { get; }

    /// <summary>Bytes handed out and not yet given back.</summary>
    public long AllocatedBytes => Volatile.Read(ref _bytes);

    /// <summary>Owner and bytes of every living arena.</summary>
    public static IReadOnlyList<(string Owner, long Bytes)> Accounts()
    {
        lock (RegistryLock)
            return [.. Registry.Select(arena => (arena.Owner, arena.AllocatedBytes))];
    }

    /// <summary>Memory with any content. Throws <see cref="OutOfMemoryException"/>.</summary>
    /// <param name="bytes">At least one.</param>
    /// <param name="alignment">A power of two, 4096 at most.</param>
    public byte* Allocate(long bytes, int alignment = 64)
    {
        Invariant.Require(bytes > 0 && alignment <= SystemPageBytes);
        byte* memory = bytes >= LeastMappedBytes ? Map(bytes) : (byte*)NativeMemory.AlignedAlloc((nuint)bytes, (nuint)alignment);
        Interlocked.Add(ref _bytes, bytes);
        return memory;
    }

    /// <summary>
    /// Makes a piece larger. It has its first <paramref name="bytes"/> bytes afterwards, and may lie elsewhere: a large one is moved
    /// without being copied. Throws <see cref="OutOfMemoryException"/>; the old piece is then as it was.
    /// </summary>
    /// <param name="memory">Aligned to 64 bytes or less.</param>
    /// <param name="bytes">As it was allocated.</param>
    /// <param name="largerBytes">What it is to have.</param>
    public byte* Enlarge(void* memory, long bytes, long largerBytes)
    {
        Invariant.Require(largerBytes >= bytes);
        if (bytes >= LeastMappedBytes)
        {
            nint moved = LinuxCalls.MRemap((nint)memory, (nint)bytes, (nint)largerBytes, LinuxCalls.MREMAP_MAYMOVE);
            if (moved == LinuxCalls.MAP_FAILED)
                throw OutOfMemory(largerBytes);
            Interlocked.Add(ref _bytes, largerBytes - bytes);
            return (byte*)moved;
        }
        byte* larger = Allocate(largerBytes);
        NativeMemory.Copy(memory, larger, (nuint)bytes);
        Free(memory, bytes);
        return larger;
    }

    /// <summary>Has the system provide the pages of a large piece now, at once, of which every byte is written soon: one call costs less
    /// than half of what a fault for each page does. Where the system cannot, nothing happens.</summary>
    public static void Populate(void* memory, long bytes)
    {
        Invariant.Require(bytes >= LeastMappedBytes);
        _ = LinuxCalls.MAdvise((nint)memory, (nint)bytes, LinuxCalls.MADV_POPULATE_WRITE);
    }

    /// <summary>Gives memory back; <paramref name="bytes"/> as it was allocated.</summary>
    public void Free(void* memory, long bytes)
    {
        if (bytes < LeastMappedBytes)
            NativeMemory.AlignedFree(memory);
        // Refused where the process has as many mappings as it may and one would be cut in two: only the addresses are lost then.
        else if (LinuxCalls.MUnmap((nint)memory, (nint)bytes) != 0)
            _ = LinuxCalls.MAdvise((nint)memory, (nint)bytes, LinuxCalls.MADV_DONTNEED);
        Invariant.Require(Interlocked.Add(ref _bytes, -bytes) >= 0);
    }

    /// <summary>Counts a piece of another arena as this one's from now on.</summary>
    /// <param name="other">Where it was allocated.</param>
    /// <param name="bytes">As it was allocated.</param>
    public void Adopt(NativeArena other, long bytes)
    {
        ArgumentNullException.ThrowIfNull(other);
        Invariant.Require(bytes > 0 && Interlocked.Add(ref other._bytes, -bytes) >= 0);
        Interlocked.Add(ref _bytes, bytes);
    }

    /// <summary>Closes the account; what is still handed out stays the owner's to free.</summary>
    public void Dispose()
    {
        lock (RegistryLock)
            Registry.Remove(this);
    }

    private static byte* Map(long bytes)
    {
        nint memory = LinuxCalls.MMapAnonymous(
            0,
            (nint)bytes,
            LinuxCalls.PROT_READ | LinuxCalls.PROT_WRITE,
            LinuxCalls.MAP_PRIVATE | LinuxCalls.MAP_ANONYMOUS | LinuxCalls.MAP_NORESERVE,
            -1,
            0
        );
        return memory == LinuxCalls.MAP_FAILED ? throw OutOfMemory(bytes) : (byte*)memory;
    }

    private static InsufficientMemoryException OutOfMemory(long bytes) =>
        new($"The system refused a piece of {bytes} bytes: {Marshal.GetPInvokeErrorMessage(LinuxErrors.Last())}.");
}
