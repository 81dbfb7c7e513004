using System.Runtime.CompilerServices;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Journal;

/// <summary>Reads the records of one use of a journal file, and judges what is not a record. docs/storage-format.md, "Ends and
/// damage".</summary>
internal sealed unsafe class RecordReader(PlantedFault planted = PlantedFault.None) : IDisposable
{
    /// <summary>More than this is given back after a record.</summary>
    private const long KeptBytes = 16 << 20;

    private readonly BlockWindow _window = new();
    private readonly AlignedBuffer _record = new();
    private readonly AlignedBuffer _payload = new();
    private readonly ZstdDecompressor _decompressor = new();
    private IDiskFile? _file;
    private JournalFileHeader _use;
    private RawRecordHeader _header;
    private uint _checksum;

    /// <summary>Where the file's blocks end, in bytes: by its header, or sooner when it has been cut.</summary>
    public long Limit { get; private set; }

    /// <summary>Bytes in the file of the record just read.</summary>
    public long Length { get; private set; }

    /// <summary>Why the last finding was <see cref="RecordFinding.Damaged"/>.</summary>
    public string What { get; private set; } = "";

    public RecordHeader Header => new(Span, _header.PageEntries, _header.StoredBytes, _header.PayloadBytes, _header.CommitTicks);

    /// <summary>Which transactions the record just read covers.</summary>
    public RecordSpan Span =>
        new(
            RecordNumber.FirstTransaction(_header.Number),
            _header.Transactions,
            RecordNumber.Piece(_header.Number),
            (_header.Flags & RecordLayout.ContinuesFlag) != 0
        );

    public ulong Chain => RecordLayout.NextChain(_header.PreviousChain, _header.HeaderChecksum, _checksum);

    public void Turn(IDiskFile file, in JournalFileHeader use)
    {
        _file = file;
        _use = use;
        Limit = Math.Min(use.Length, file.Length) / use.Unit * use.Unit;
        _window.Turn(file);
    }

    /// <summary>Judges the place at which the record after <paramref name="previous"/> should begin.</summary>
    public RecordFinding Read(in JournalPosition previous)
    {
        var unit = _use.Unit;
        var offset = previous.Offset;
        if (offset + unit > Limit)
            return RecordFinding.NotWritten;
        var block = Block(offset, out _);
        var expected = previous.NextNumber;
        _header = Unsafe.ReadUnaligned<RawRecordHeader>(block);
        if (!HeaderHolds(block))
            return RecordLayout.HasStamp(block, unit, _use.Salt, offset, expected)
                ? Damaged("a record's header does not match its checksum")
                : RecordFinding.NotWritten;
        if (_header.Version != RecordLayout.Version)
            throw new UnsupportedFormatException(_file!.FullPath, $"the record at offset {offset} has version {_header.Version}.");
        if (_header.Number != expected)
            return RecordFinding.NotWritten;
        if (_header.PreviousChain != previous.Chain)
            return Damaged("a record does not continue the one before it");
        if (
            _header.StoredBytes < 0
            || _header.StoredBytes > Limit
            || _header.PayloadBytes < 0
            || _header.PageEntries < 0
            || _header.Transactions < 1
        )
            return Damaged("a record's header gives impossible sizes");
        Length = RecordLayout.SizeInFile(_header.StoredBytes, unit);
        if (offset + Length > Limit)
            return Damaged("a record reaches past the end of its file");

        var allNew = Gather(offset, expected);
        var end = _record.Pointer + RecordLayout.HeaderBytes + _header.StoredBytes;
        _checksum = JournalChecksum.Finish(
            JournalChecksum.Continue(JournalChecksum.Begin(_use.Salt), _record.Pointer, end - _record.Pointer)
        );
        if (_checksum == Unsafe.ReadUnaligned<uint>(end) || planted == PlantedFault.MissingChecksumCheck)
            return RecordFinding.Valid;
        return allNew ? Damaged("a record does not match its checksum") : RecordFinding.NotWritten;
    }

    /// <summary>
    /// The entries of the record just found valid, uncompressed; the memory is valid until the next read. Throws
    /// <see cref="CorruptedDataException"/> and, where the library is missing, <see cref="UnsupportedFormatException"/>.
    /// </summary>
    public JournalEntries Entries(long offset)
    {
        var source = new JournalSource(_file!.FullPath, offset);
        var stored = _record.Pointer + RecordLayout.HeaderBytes;
        if ((_header.Flags & RecordLayout.CompressedFlag) == 0)
        {
            if (_header.PayloadBytes != _header.StoredBytes)
                throw source.Damaged("an uncompressed record gives two lengths");
            return new JournalEntries(stored, _header.PayloadBytes, _header.PageEntries, source);
        }
        if (!ZstdLibrary.IsAvailable)
            throw new UnsupportedFormatException(
                source.Path,
                $"the record at offset {offset} is compressed with zstd, which "
                    + $"this machine lacks; install the package {ZstdLibrary.PackageName}."
            );
        _payload.Reserve(_header.PayloadBytes + 1);
        if (!_decompressor.TryDecompress(stored, _header.StoredBytes, _payload.Pointer, _header.PayloadBytes, out var reason))
            throw source.Damaged($"a record does not decompress: {reason}");
        return new JournalEntries(_payload.Pointer, _header.PayloadBytes, _header.PageEntries, source);
    }

    /// <summary>
    /// Looks for a block of this use that cannot be there if the log ends before the record numbered <paramref name="next"/>: of a
    /// later one, or of that one in a place that is not its own. Returns its offset, or -1.
    /// </summary>
    public long FindStrayBlock(long from, long to, long next)
    {
        foreach (var (offset, number, ownPlace) in Stamps(from, to))
        {
            if (number > next || (number == next && !ownPlace))
                return offset;
        }
        return -1;
    }

    /// <summary>
    /// The highest transaction of which this use holds a block at or after an offset, by the first transaction of its record, where that
    /// record's number is <paramref name="next"/> or higher; 0: none.
    /// </summary>
    public long HighestTransaction(long from, long next)
    {
        var highest = 0L;
        foreach (var (_, number, _) in Stamps(from, Limit))
        {
            if (number >= next)
                highest = Math.Max(highest, RecordNumber.FirstTransaction(number));
        }
        return highest;
    }

    /// <summary>
    /// Whether a file whose header cannot be believed (hence of unknown salt and unit) holds records after this position: it
    /// begins with the
    /// next one, or with a misplaced later one, or some blocks of one salt carry later transactions (a single one can come of a
    /// flipped bit).
    /// </summary>
    public bool SeemsToContinue(IDiskFile file, in JournalPosition end)
    {
        foreach (var unit in (ReadOnlySpan<int>)[512, 4096])
        {
            Turn(file, new JournalFileHeader { Unit = unit, Length = file.Length });
            if (BeginsAfter(end, unit) || HasLaterStamps(end.NextNumber, unit))
                return true;
        }
        return false;
    }

    /// <summary>
    /// Whether a file whose header is that of an earlier use, or blank, nevertheless begins with the next record: its own header
    /// was written to
    /// some other place. The salt tells: the blocks of the use that the header names carry that header's.
    /// </summary>
    public bool ContinuesWithoutHeader(IDiskFile file, in JournalFileHeader earlier, in JournalPosition end)
    {
        foreach (var unit in (ReadOnlySpan<int>)[512, 4096])
        {
            Turn(file, new JournalFileHeader { Unit = unit, Length = file.Length });
            if (
                Limit >= 2 * unit
                && Continues(Block(unit, out _), end)
                && RecordLayout.StampSalt(Block(unit, out _), unit) != (uint)earlier.Salt
            )
                return true;
        }
        return false;
    }

    /// <summary>To be called when the entries have been used: gives back what a rare large record took.</summary>
    public void Trim()
    {
        _record.TrimTo(KeptBytes);
        _payload.TrimTo(KeptBytes);
    }

    public void Dispose()
    {
        _window.Dispose();
        _record.Dispose();
        _payload.Dispose();
        _decompressor.Dispose();
    }

    /// <summary>The stamps of this use in a range of the file.</summary>
    private IEnumerable<(long Offset, long Number, bool OwnPlace)> Stamps(long from, long to)
    {
        for (var offset = from; offset + _use.Unit <= to; )
        {
            if (!NextStamp(ref offset, to, out var number, out var ownPlace))
                yield break;
            yield return (offset, number, ownPlace);
            offset += _use.Unit;
        }
    }

    /// <summary>Moves on to the next block that carries this use's salt.</summary>
    private bool NextStamp(ref long offset, long to, out long number, out bool ownPlace)
    {
        var unit = _use.Unit;
        while (offset + unit <= to)
        {
            var block = Block(offset, out var available);
            for (var end = block + Math.Min(available, (to - offset) / unit * unit); block != end; block += unit, offset += unit)
            {
                if (RecordLayout.StampSalt(block, unit) != (uint)_use.Salt)
                    continue;
                number = RecordLayout.StampNumber(block, unit);
                ownPlace = RecordLayout.StampBlock(block, unit) == (uint)(offset / unit);
                return true;
            }
        }
        number = 0;
        ownPlace = false;
        return false;
    }

    private bool BeginsAfter(in JournalPosition end, int unit)
    {
        if (Limit < 2 * unit)
            return false;
        var first = Unsafe.ReadUnaligned<RawRecordHeader>(Block(0, out _));
        if (first.Magic == RecordLayout.Magic && first.Number >= end.NextNumber)
            return true;
        return Continues(Block(unit, out _), end);
    }

    private static bool Continues(byte* block, in JournalPosition end)
    {
        var record = Unsafe.ReadUnaligned<RawRecordHeader>(block);
        return record.Magic == RecordLayout.Magic && record.Number == end.NextNumber && record.PreviousChain == end.Chain;
    }

    private bool HasLaterStamps(long next, int unit)
    {
        var salt = 0u;
        for (var offset = (long)unit; offset + unit <= Limit; offset += unit)
        {
            var block = Block(offset, out _);
            if (RecordLayout.StampBlock(block, unit) != (uint)(offset / unit) || RecordLayout.StampNumber(block, unit) <= next)
                continue;
            if (RecordLayout.StampSalt(block, unit) == salt)
                return true;
            salt = RecordLayout.StampSalt(block, unit);
        }
        return false;
    }

    private bool HeaderHolds(byte* block) =>
        _header.Magic == RecordLayout.Magic
        && _header.HeaderChecksum
            == JournalChecksum.Finish(JournalChecksum.Continue(JournalChecksum.Begin(_use.Salt), block, RecordLayout.HeaderChecksumAt));

    private RecordFinding Damaged(string what)
    {
        What = what;
        return RecordFinding.Damaged;
    }

    /// <summary>Puts the record's bytes together, without the stamps. True: every block carries the new stamp.</summary>
    private bool Gather(long offset, long number)
    {
        var unit = _use.Unit;
        var perBlock = unit - RecordLayout.StampBytes;
        _record.Reserve(Length / unit * perBlock);
        var target = _record.Pointer;
        var allNew = true;
        for (var end = offset + Length; offset < end; )
        {
            var block = Block(offset, out var available);
            for (var last = block + Math.Min(available, end - offset); block != last; block += unit, offset += unit)
            {
                Unsafe.CopyBlockUnaligned(target, block, (uint)perBlock);
                target += perBlock;
                allNew &= RecordLayout.HasStamp(block, unit, _use.Salt, offset, number);
            }
        }
        return allNew;
    }

    private byte* Block(long offset, out long available)
    {
        var block = _window.At(offset, _use.Unit, out available);
        if (block == null)
            throw new CorruptedDataException(_file!.FullPath, offset, "the file became shorter while it was read");
        return block;
    }
}
