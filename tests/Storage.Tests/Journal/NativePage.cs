using System.Runtime.InteropServices;

namespace Jackdaw.Storage.Tests.Journal;

/// <summary>Native memory with the content of an array, for as long as a test needs it.</summary>
internal sealed unsafe class NativePage : IDisposable
{
    public NativePage(ReadOnlySpan<byte> content)
    {
        Length = content.Length;
        Pointer = (byte*)NativeMemory.AlignedAlloc((nuint)content.Length, 64);
        content.CopyTo(Span);
    }

    public byte* Pointer { get; }

    public int Length { get; }

    public Span<byte> Span => new(Pointer, Length);

    public void Dispose() => NativeMemory.AlignedFree(Pointer);
}
