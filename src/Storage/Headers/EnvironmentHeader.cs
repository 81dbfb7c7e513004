using System.Buffers.Binary;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Journal;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Headers;

/// <summary>Where recovery starts; one block of 512 bytes. Layout: docs/storage-format.md, "Headers".</summary>
internal sealed record EnvironmentHeader
{
    public const int Size = 512;
    public const uint FormatVersion = 2;
    private const int ChecksumOffset = 508;
    private const uint CleanFlag = 1;
    private const uint CopyFlag = 2;
    private const uint FreshJournalFlag = 4;

    private static ReadOnlySpan<byte> MagicBytes => "JDHEAD01"u8;

    public required long Generation { get; init; }

    public required Guid EnvironmentId { get; init; }

    public required Guid JournalId { get; init; }

    /// <summary>Where replay begins; its transaction is the last that the data file durably holds.</summary>
    public required JournalPosition Synced { get; init; }

    public required long Pages { get; init; }

    public required int AtomicUnit { get; init; }

    /// <summary>Nothing is to be replayed.</summary>
    public bool ClosedCleanly { get; init; }

    /// <summary>The folder is an online copy: recovery gives it a new journal id.</summary>
    public bool IsCopy { get; init; }

    /// <summary>The journal has not begun: whatever journal files there are belong to the folder's past and are removed.</summary>
    public bool HasFreshJournal { get; init; }

    public void WriteTo(Span<byte> block)
    {
        block = block[..Size];
        block.Clear();
        MagicBytes.CopyTo(block);
        BinaryPrimitives.WriteUInt32LittleEndian(block[8..], FormatVersion);
        BinaryPrimitives.WriteInt32LittleEndian(block[12..], PageLayout.PageSize);
        BinaryPrimitives.WriteInt64LittleEndian(block[16..], Generation);
        EnvironmentId.TryWriteBytes(block[24..]);
        JournalId.TryWriteBytes(block[40..]);
        BinaryPrimitives.WriteInt64LittleEndian(block[56..], Synced.TransactionId);
        BinaryPrimitives.WriteInt64LittleEndian(block[64..], Synced.Sequence);
        BinaryPrimitives.WriteInt64LittleEndian(block[72..], Synced.Offset);
        BinaryPrimitives.WriteUInt64LittleEndian(block[80..], Synced.Chain);
        BinaryPrimitives.WriteInt64LittleEndian(block[88..], Pages);
        BinaryPrimitives.WriteInt32LittleEndian(block[96..], AtomicUnit);
        BinaryPrimitives.WriteUInt32LittleEndian(
            block[100..],
            (ClosedCleanly ? CleanFlag : 0) | (IsCopy ? CopyFlag : 0) | (HasFreshJournal ? FreshJournalFlag : 0)
        );
        BinaryPrimitives.WriteUInt32LittleEndian(block[ChecksumOffset..], Checksum(block));
    }

    /// <summary>
    /// The header in a block, or null when its checksum or magic is wrong. A whole header of another version or page size is
    /// <see cref="UnsupportedFormatException"/>.
    /// </summary>
    public static EnvironmentHeader? Read(ReadOnlySpan<byte> block, string path)
    {
        block = block[..Size];
        if (!block[..8].SequenceEqual(MagicBytes) || BinaryPrimitives.ReadUInt32LittleEndian(block[ChecksumOffset..]) != Checksum(block))
            return null;
        var version = BinaryPrimitives.ReadUInt32LittleEndian(block[8..]);
        if (version != FormatVersion)
            throw new UnsupportedFormatException(
                path,
                $"it has format version {version}; this program reads and writes version {FormatVersion} only. Nothing was changed"
            );
        var pageSize = BinaryPrimitives.ReadInt32LittleEndian(block[12..]);
        if (pageSize != PageLayout.PageSize)
            throw new UnsupportedFormatException(path, $"its pages are of {pageSize} bytes; this program uses {PageLayout.PageSize}");
        var flags = BinaryPrimitives.ReadUInt32LittleEndian(block[100..]);
        return new EnvironmentHeader
        {
            Generation = BinaryPrimitives.ReadInt64LittleEndian(block[16..]),
            EnvironmentId = new Guid(block[24..40]),
            JournalId = new Guid(block[40..56]),
            Synced = new JournalPosition(
                Sequence: BinaryPrimitives.ReadInt64LittleEndian(block[64..]),
                Offset: BinaryPrimitives.ReadInt64LittleEndian(block[72..]),
                Chain: BinaryPrimitives.ReadUInt64LittleEndian(block[80..]),
                TransactionId: BinaryPrimitives.ReadInt64LittleEndian(block[56..])
            ),
            Pages = BinaryPrimitives.ReadInt64LittleEndian(block[88..]),
            AtomicUnit = BinaryPrimitives.ReadInt32LittleEndian(block[96..]),
            ClosedCleanly = (flags & CleanFlag) != 0,
            IsCopy = (flags & CopyFlag) != 0,
            HasFreshJournal = (flags & FreshJournalFlag) != 0,
        };
    }

    private static unsafe uint Checksum(ReadOnlySpan<byte> block)
    {
        fixed (byte* bytes = block)
            return PageChecksum.Finish(PageChecksum.Continue(uint.MaxValue, bytes, ChecksumOffset));
    }
}
