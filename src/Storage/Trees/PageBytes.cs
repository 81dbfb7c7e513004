using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// A key that is looked up, or a value that was found: bytes in page memory, or on the stack of whoever asks. Unlike a span it can
/// lie in an array. A value stays readable as <see cref="BTree.TryGet"/> says.
/// </summary>
/// <param name="pointer">The first byte; null: there is no such value.</param>
/// <param name="length">How many there are.</param>
public readonly unsafe struct PageBytes(byte* pointer, int length)
{
    /// <summary>False: there is no such value.</summary>
    public bool IsThere => pointer != null;

    /// <summary>The bytes; empty where there are none.</summary>
    public ReadOnlySpan<byte> Span => new(pointer, length);

    internal byte* Pointer => pointer;

    /// <summary>Bytes that do not move while they are used: of page memory, of the stack, or pinned.</summary>
    public static PageBytes Of(ReadOnlySpan<byte> fixedBytes) =>
        new((byte*)Unsafe.AsPointer(ref MemoryMarshal.GetReference(fixedBytes)), fixedBytes.Length);
}
