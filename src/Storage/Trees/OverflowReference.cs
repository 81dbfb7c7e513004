using System.Runtime.InteropServices;

namespace Jackdaw.Storage.Trees;

/// <summary>What a leaf keeps of a value that lies in a run of its own: 16 bytes.</summary>
[StructLayout(LayoutKind.Explicit, Size = Size)]
internal struct OverflowReference
{
    public const int Size = 16;

    [FieldOffset(0)]
    public long PageNumber;

    /// <summary>Bytes of the value.</summary>
    [FieldOffset(8)]
    public int Length;

    /// <summary>Pages of the run.</summary>
    [FieldOffset(12)]
    public int RunLength;
}
