using System.Runtime.InteropServices;

namespace Jackdaw.Storage.Memory;

/// <summary>
/// Native memory with an account: every allocation of the engine that grows with the data belongs to an arena, whose owner's name
/// statistics show. Thread-safe.
/// </summary>
public sealed unsafe class NativeArena : IDisposable
{
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

    /// <summary>Uninitialised memory. Throws <see cref="OutOfMemoryException"/>.</summary>
    public byte* Allocate(long bytes, int alignment = 64)
    {
        Invariant.Require(bytes > 0);
        var memory = (byte*)NativeMemory.AlignedAlloc((nuint)bytes, (nuint)alignment);
        Interlocked.Add(ref _bytes, bytes);
        return memory;
    }

    /// <summary>Gives memory back; <paramref name="bytes"/> as it was allocated.</summary>
    public void Free(void* memory, long bytes)
    {
        NativeMemory.AlignedFree(memory);
        Invariant.Require(Interlocked.Add(ref _bytes, -bytes) >= 0);
    }

    /// <summary>Closes the account; what is still handed out stays the owner's to free.</summary>
    public void Dispose()
    {
        lock (RegistryLock)
            Registry.Remove(this);
    }
}
