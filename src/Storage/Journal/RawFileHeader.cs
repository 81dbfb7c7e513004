using System.Runtime.InteropServices;

namespace Jackdaw.Storage.Journal;

/// <summary>The first 92 bytes of a journal file. docs/storage-format.md, "Journal files".</summary>
[StructLayout(LayoutKind.Explicit, Size = Bytes)]
internal unsafe struct RawFileHeader
{
    public const int Bytes = 92;
    public const int ChecksumAt = 88;

    /// <summary>"JDJRNL01", read as a little-endian number.</summary>
    public const ulong ExpectedMagic = 0x31304C4E524A444A;
    public const int ExpectedVersion = 2;

    [FieldOffset(0)]
    public ulong Magic;

    [FieldOffset(8)]
    public int Version;

    [FieldOffset(12)]
    public int Unit;

    [FieldOffset(16)]
    public Guid JournalId;

    [FieldOffset(32)]
    public long Sequence;

    [FieldOffset(40)]
    public ulong Salt;

    [FieldOffset(48)]
    public long FirstTransaction;

    [FieldOffset(56)]
    public ulong PreviousChain;

    [FieldOffset(64)]
    public long PreviousSequence;

    [FieldOffset(72)]
    public long PreviousEnd;

    [FieldOffset(80)]
    public long Length;

    [FieldOffset(88)]
    public uint Checksum;

    public static uint ChecksumOf(byte* header) =>
        JournalChecksum.Finish(JournalChecksum.Continue(JournalChecksum.Begin(), header, ChecksumAt));
}
