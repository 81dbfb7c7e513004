using System.Runtime.InteropServices;

namespace Jackdaw.Storage.Pages;

/// <summary>The first 32 bytes of every page (of an overflow run: of its first page only). Little-endian.</summary>
[StructLayout(LayoutKind.Explicit, Size = PageLayout.HeaderSize)]
public struct PageHeader
{
    /// <summary>CRC32C over (environment id, page number, bytes 4 to the end of the run); set at flush only.</summary>
    [FieldOffset(0)]
    public uint Checksum;

    /// <summary>What the page holds.</summary>
    [FieldOffset(4)]
    public PageKind Kind;

    /// <summary>Meaning belongs to the kind.</summary>
    [FieldOffset(5)]
    public byte Flags;

    /// <summary>Meaning belongs to the kind (tree pages: entries).</summary>
    [FieldOffset(6)]
    public ushort Count;

    /// <summary>Pages in the run that starts here: 1, but for overflow runs.</summary>
    [FieldOffset(8)]
    public int RunLength;

    /// <summary>Overflow: payload bytes after the header.</summary>
    [FieldOffset(12)]
    public int PayloadBytes;

    /// <summary>The page's own number: a misdirected write shows by it.</summary>
    [FieldOffset(16)]
    public long PageNumber;

    /// <summary>The transaction that last wrote the page.</summary>
    [FieldOffset(24)]
    public long TransactionId;
}
