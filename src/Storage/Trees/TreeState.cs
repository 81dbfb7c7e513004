using System.Runtime.InteropServices;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// Where a structure is and how large it is: 64 bytes in the catalog tree or in a value of another structure (the catalog's own: in the
/// meta page). Little-endian.
/// Layout: docs/storage-format.md, "Structures".
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = Size)]
public struct TreeState
{
    /// <summary>Bytes of a state.</summary>
    public const int Size = 64;

    /// <summary>In <see cref="Flags"/> of a B+tree: its branches keep counts.</summary>
    public const byte CountsFlag = 1;

    /// <summary>In <see cref="Flags"/> of a B+tree that keeps counts: its branches keep sums, too.</summary>
    public const byte SumsFlag = 2;

    /// <summary>Bytes from here on are zeros.</summary>
    internal const int ReservedOffset = 54;

    /// <summary>Offset of the catalog's own state in the meta page: right after the file's page count.</summary>
    public const int OffsetInMetaPage = PageLayout.HeaderSize + 8;

    /// <summary>What kind of structure it is the state of.</summary>
    [FieldOffset(0)]
    public StructureKind Kind;

    /// <summary>Meaning belongs to the kind.</summary>
    [FieldOffset(1)]
    public byte Flags;

    /// <summary>Levels of pages from the root to a leaf, both counted; 0 while there is no root.</summary>
    [FieldOffset(2)]
    public ushort Depth;

    /// <summary>Fixed-size trees: bytes of a value. Otherwise 0.</summary>
    [FieldOffset(4)]
    public int ValueSize;

    /// <summary>0 while the structure has never held anything (page 0 is the meta page, never a root).</summary>
    [FieldOffset(8)]
    public long RootPage;

    /// <summary>Number of entries.</summary>
    [FieldOffset(16)]
    public long EntryCount;

    /// <summary>Number of leaves.</summary>
    [FieldOffset(24)]
    public long LeafPages;

    /// <summary>Number of branches.</summary>
    [FieldOffset(32)]
    public long BranchPages;

    /// <summary>Pages in overflow runs, all pages of each run counted.</summary>
    [FieldOffset(40)]
    public long OverflowPages;

    /// <summary>B+trees: states in each value; see <see cref="EmbeddedStates"/>. Otherwise 0.</summary>
    [FieldOffset(48)]
    public byte EmbeddedCount;

    /// <summary><see cref="EmbeddedStates.Layout"/>, or 0 where <see cref="EmbeddedCount"/> is 0.</summary>
    [FieldOffset(49)]
    public byte EmbeddedLayout;

    /// <summary>Bytes of a value before its first embedded state.</summary>
    [FieldOffset(50)]
    public ushort EmbeddedOffset;

    /// <summary>B+trees that keep sums: bytes of a value before the number that is added up. Otherwise 0.</summary>
    [FieldOffset(52)]
    public ushort SumOffset;

    /// <summary>Zeros throughout: no structure.</summary>
    internal readonly bool IsNothing => !MemoryMarshal.AsBytes(new ReadOnlySpan<TreeState>(in this)).ContainsAnyExcept((byte)0);

    /// <summary>The state of a structure without pages that was made with the same options.</summary>
    internal readonly TreeState Emptied() =>
        new()
        {
            Kind = Kind,
            Flags = Flags,
            ValueSize = ValueSize,
            EmbeddedCount = EmbeddedCount,
            EmbeddedLayout = EmbeddedLayout,
            EmbeddedOffset = EmbeddedOffset,
            SumOffset = SumOffset,
        };
}
