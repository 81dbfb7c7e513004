using System.Runtime.InteropServices;

namespace Jackdaw.Storage.Journal;

/// <summary>The first 64 bytes of a record. docs/storage-format.md, "Journal files".</summary>
[StructLayout(LayoutKind.Explicit, Size = RecordLayout.HeaderBytes)]
internal struct RawRecordHeader
{
    [FieldOffset(0)]
    public uint Magic;

    [FieldOffset(4)]
    public ushort Version;

    [FieldOffset(6)]
    public ushort Flags;

    [FieldOffset(8)]
    public long Number;

    [FieldOffset(16)]
    public int PageEntries;

    [FieldOffset(20)]
    public int Transactions;

    [FieldOffset(24)]
    public long StoredBytes;

    [FieldOffset(32)]
    public long PayloadBytes;

    [FieldOffset(40)]
    public ulong PreviousChain;

    [FieldOffset(48)]
    public long CommitTicks;

    [FieldOffset(56)]
    public uint HeaderChecksum;

    [FieldOffset(60)]
    public uint Zero2;
}
