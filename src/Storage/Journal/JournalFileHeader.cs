namespace Jackdaw.Storage.Journal;

/// <summary>What a use of a journal file begins with.</summary>
/// <param name="Unit">Bytes of a block.</param>
/// <param name="JournalId">Whose journal it is.</param>
/// <param name="Sequence">Other than the file's name: a spare, not in use.</param>
/// <param name="Salt">Random a use.</param>
/// <param name="FirstTransaction">Of the first record of this use.</param>
/// <param name="Previous">Where the log before it validly ended: sequence 0 for the first file.</param>
/// <param name="Length">The file's length in bytes.</param>
internal readonly record struct JournalFileHeader(
    int Unit,
    Guid JournalId,
    long Sequence,
    ulong Salt,
    long FirstTransaction,
    JournalPosition Previous,
    long Length
)
{
    /// <summary>Fills a whole block.</summary>
    public unsafe void WriteTo(byte* block)
    {
        new Span<byte>(block, Unit).Clear();
        var raw = (RawFileHeader*)block;
        *raw = new RawFileHeader
        {
            Magic = RawFileHeader.ExpectedMagic,
            Version = RawFileHeader.ExpectedVersion,
            Unit = Unit,
            JournalId = JournalId,
            Sequence = Sequence,
            Salt = Salt,
            FirstTransaction = FirstTransaction,
            PreviousChain = Previous.Chain,
            PreviousSequence = Previous.Sequence,
            PreviousEnd = Previous.Offset,
            Length = Length,
        };
        raw->Checksum = RawFileHeader.ChecksumOf(block);
    }

    /// <summary>Reads a header whose checksum holds.</summary>
    public static unsafe JournalFileHeader From(byte* block)
    {
        var raw = (RawFileHeader*)block;
        var previous = new JournalPosition(raw->PreviousSequence, raw->PreviousEnd, raw->PreviousChain, raw->FirstTransaction - 1);
        return new JournalFileHeader(raw->Unit, raw->JournalId, raw->Sequence, raw->Salt, raw->FirstTransaction, previous, raw->Length);
    }
}
