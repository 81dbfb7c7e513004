using System.Runtime.InteropServices;

namespace Jackdaw.Storage.Tests.Disk;

/// <summary>Native memory that direct I/O accepts: aligned to 4,096 bytes, zeroed.</summary>
internal sealed unsafe class AlignedBuffer : IDisposable
{
    public AlignedBuffer(int length)
    {
        Length = length;
        Start = (byte*)NativeMemory.AlignedAlloc((nuint)length, 4096);
        Span.Clear();
    }

    public byte* Start { get; }

    public int Length { get; }

    public Span<byte> Span => new(Start, Length);

    public AlignedBuffer FillRandomly(int seed)
    {
        new Random(seed).NextBytes(Span);
        return this;
    }

    public void Dispose() => NativeMemory.AlignedFree(Start);
}
