using System.Runtime.InteropServices;

namespace Jackdaw.Storage.Trees;

/// <summary>Eight bytes an entry, in key order: enough to decide most comparisons without touching the cell.</summary>
[StructLayout(LayoutKind.Explicit, Size = Size)]
internal struct TreeSlot
{
    public const int Size = 8;

    private const ushort OverflowFlag = 0x8000;

    /// <summary>The first four bytes of the suffix as a number: see <see cref="TreeKey.Head"/>.</summary>
    [FieldOffset(0)]
    public uint Head;

    /// <summary>Where the cell begins in the page.</summary>
    [FieldOffset(4)]
    public ushort Cell;

    [FieldOffset(6)]
    private ushort _suffix;

    /// <summary>Bytes of the key after the page's prefix.</summary>
    public readonly int SuffixLength => _suffix & ~OverflowFlag;

    /// <summary>The cell's value is a reference to an overflow run.</summary>
    public readonly bool IsOverflow => (_suffix & OverflowFlag) != 0;

    /// <summary>Suffix bytes that are not in <see cref="Head"/> and therefore in the cell.</summary>
    public readonly int RestLength => Math.Max(0, SuffixLength - 4);

    public void SetSuffix(int length, bool isOverflow) => _suffix = (ushort)(length | (isOverflow ? OverflowFlag : 0));
}
