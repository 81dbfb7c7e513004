using System.Runtime.InteropServices;

namespace Jackdaw.Bench.Peers;

/// <summary>Native memory aligned as O_DIRECT wants it; zeroed.</summary>
internal sealed unsafe class AlignedBlock : IDisposable
{
    private readonly int _size;
    private void* _start;

    public AlignedBlock(int size, int alignment)
    {
        _size = size;
        _start = NativeMemory.AlignedAlloc((nuint)size, (nuint)alignment);
        Bytes.Clear();
    }

    public Span<byte> Bytes
    {
        get
        {
            ObjectDisposedException.ThrowIf(_start is null, this);
            return new(_start, _size);
        }
    }

    public void Dispose()
    {
        NativeMemory.AlignedFree(_start);
        _start = null;
    }
}
