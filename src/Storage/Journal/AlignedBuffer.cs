using Jackdaw.Storage.Memory;

namespace Jackdaw.Storage.Journal;

/// <summary>Native memory for direct I/O that grows to what is asked of it and is used again. One owner, one thread at a time.</summary>
internal sealed unsafe class AlignedBuffer : IDisposable
{
    private const long Step = 64 << 10;

    private static readonly NativeArena Account = new("journal buffers");

    public byte* Pointer { get; private set; }

    public long Capacity { get; private set; }

    /// <summary>Makes room for so many bytes. What the buffer held is lost when it has to grow.</summary>
    public void Reserve(long bytes)
    {
        Invariant.Require(bytes > 0);
        if (bytes <= Capacity)
            return;
        Dispose();
        var capacity = (bytes + Step - 1) / Step * Step;
        Pointer = Account.Allocate(capacity, RecordLayout.Alignment);
        Capacity = capacity;
    }

    /// <summary>Gives the memory back when a rare large use has left more than this.</summary>
    public void TrimTo(long bytes)
    {
        if (Capacity > bytes)
            Dispose();
    }

    public void Dispose()
    {
        if (Pointer != null)
            Account.Free(Pointer, Capacity);
        Pointer = null;
        Capacity = 0;
    }
}
