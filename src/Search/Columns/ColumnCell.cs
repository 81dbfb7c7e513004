using System.Runtime.InteropServices;

namespace Jackdaw.Search.Columns;

/// <summary>The value of one entry in a column. Layout: docs/search-format.md, "Column".</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
internal struct ColumnCell
{
    public const int Bytes = 16;

    /// <summary>Cells of a chunk.</summary>
    public const int InChunk = 504;

    /// <summary>Bytes of a chunk: with the page's header no more than a page.</summary>
    public const int ChunkBytes = InChunk * Bytes;

    public const byte SeveralValuesFlag = 1;

    public ColumnKind Kind;

    public byte Flags;

    /// <summary>Numbers: distance to the double of <see cref="Order"/>.</summary>
    public ushort Remainder;

    /// <summary>Texts: the term's number.</summary>
    public uint TermNumber;

    /// <summary>Numbers: the double in order-preserving form. Texts: the first 8 bytes of the term, the first the most
    /// significant.</summary>
    public ulong Order;
}
