using System.Runtime.CompilerServices;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Journal;

/// <summary>
/// Makes records: first the payload (<see cref="Build"/>), whose size decides the file that it goes to; then, when the place is
/// known, header,
/// checksums and stamps (<see cref="Seal"/>). An uncompressed payload is built between the stamps at once; one that may be compressed is
/// built in one piece first. Not thread-safe.
/// </summary>
internal sealed unsafe class RecordBuilder : IDisposable
{
    /// <summary>More than this is given back after a record.</summary>
    private const long KeptBytesOfEach = 16 << 20;

    /// <summary>What the three buffers keep at most between two records.</summary>
    public const long MaxKeptBytes = 3 * KeptBytesOfEach;

    private readonly int _unit;
    private readonly PlantedFault _planted;
    private readonly TimeProvider _clock;
    private readonly CompressionJudge _judge;
    private readonly ZstdCompressor _compressor = new();
    private readonly AlignedBuffer _blocks = new();
    private readonly AlignedBuffer _piece = new();
    private readonly AlignedBuffer _compressed = new();
    private readonly uint[] _ranges = GC.AllocateArray<uint>(PageDifferences.MaxRanges, pinned: true);
    private RawRecordHeader _header;
    private long _changedPages;
    private long _changedBytes;

    public RecordBuilder(int unit, JournalCompression compression, TimeProvider clock, PlantedFault planted = PlantedFault.None)
    {
        _planted = planted;
        Invariant.Require(unit is 512 or 4096);
        _unit = unit;
        _clock = clock;
        Judge = _judge = new CompressionJudge(compression, compression != JournalCompression.Never && ZstdLibrary.IsAvailable);
    }

    public CompressionJudge Judge { get; }

    /// <summary>The blocks of the record, once sealed.</summary>
    public byte* Blocks => _blocks.Pointer;

    /// <summary>Bytes of the blocks; a multiple of the unit.</summary>
    public long Length { get; private set; }

    /// <summary>Payload bytes before compression.</summary>
    public long PayloadBytes => _header.PayloadBytes;

    /// <summary>See <see cref="JournalWriter.BytesOfDifferences"/>.</summary>
    public long? BytesOfDifferences => _changedPages == 0 ? null : _changedBytes / _changedPages;

    public bool IsCompressed => (_header.Flags & RecordLayout.CompressedFlag) != 0;

    /// <summary>The most payload bytes that so many entries over so many pages can take.</summary>
    public static long MaxPayloadBytes(long entries, long pages) =>
        entries * (JournalEntries.EntryHeaderBytes + sizeof(int)) + pages * PageLayout.PageSize;

    public void Build(in RecordSpan span, ReadOnlySpan<JournaledPage> pages, long commitTicks)
    {
        var maxPayload = MaxPayloadOf(pages);
        _header = new RawRecordHeader
        {
            Magic = RecordLayout.Magic,
            Version = RecordLayout.Version,
            Flags = span.Continues ? RecordLayout.ContinuesFlag : (ushort)0,
            Number = RecordNumber.Of(span.First, span.Piece),
            Transactions = span.Count,
            PageEntries = pages.Length,
            CommitTicks = commitTicks,
        };
        _blocks.Reserve(RecordLayout.SizeInFile(maxPayload, _unit));
        if (_judge.Considers(maxPayload))
        {
            _piece.Reserve(maxPayload + 1);
            var sink = BlockSink.InOnePiece(_piece.Pointer);
            WriteEntries(ref sink, pages);
            _header.PayloadBytes = sink.Written;
            LayOut(CompressIfItPays());
        }
        else
        {
            var sink = BlockSink.Stamped(_blocks.Pointer, _unit);
            sink.Skip(RecordLayout.HeaderBytes);
            WriteEntries(ref sink, pages);
            _header.PayloadBytes = _header.StoredBytes = sink.Written - RecordLayout.HeaderBytes;
            End(ref sink);
        }
    }

    /// <summary>Completes the record for its place. Returns its chain value.</summary>
    public ulong Seal(ulong salt, long offset, ulong previousChain)
    {
        _header.PreviousChain = previousChain;
        var header = (RawRecordHeader*)_blocks.Pointer;
        *header = _header;
        var seed = JournalChecksum.Begin(salt);
        header->HeaderChecksum = JournalChecksum.Finish(JournalChecksum.Continue(seed, (byte*)header, RecordLayout.HeaderChecksumAt));

        var perBlock = _unit - RecordLayout.StampBytes;
        var left = RecordLayout.HeaderBytes + _header.StoredBytes;
        var state = seed;
        var block = _blocks.Pointer;
        for (var at = 0L; at < Length; at += _unit, block += _unit)
        {
            var part = Math.Min(left, perBlock);
            state = JournalChecksum.Continue(state, block, part);
            left -= part;
            RecordLayout.WriteStamp(block, _unit, salt, offset + at, _header.Number);
        }
        var checksum = JournalChecksum.Finish(state);
        WriteChecksum(checksum);
        return RecordLayout.NextChain(previousChain, header->HeaderChecksum, checksum);
    }

    /// <summary>To be called when the record has been written: gives back what a rare large one took.</summary>
    public void Trim()
    {
        _blocks.TrimTo(KeptBytesOfEach);
        _piece.TrimTo(KeptBytesOfEach);
        _compressed.TrimTo(KeptBytesOfEach);
    }

    /// <summary>Bytes of the buffers.</summary>
    public long KeptBytes => _blocks.Capacity + _piece.Capacity + _compressed.Capacity;

    /// <summary>Gives the buffers back; returns how many bytes they had.</summary>
    public long TrimAll()
    {
        long bytes = KeptBytes;
        _blocks.TrimTo(0);
        _piece.TrimTo(0);
        _compressed.TrimTo(0);
        return bytes;
    }

    public void Dispose()
    {
        _compressor.Dispose();
        _blocks.Dispose();
        _piece.Dispose();
        _compressed.Dispose();
    }

    /// <summary>The most payload bytes that these pages can take.</summary>
    public static long MaxPayloadOf(ReadOnlySpan<JournaledPage> pages)
    {
        var total = 0L;
        foreach (ref readonly var page in pages)
            total += JournalEntries.EntryHeaderBytes + (page.IsPart ? 2 : 1) * sizeof(int) + MaxBytes(page);
        return total;
    }

    private static int MaxBytes(in JournaledPage page) => page.RunLength == 1 ? PageLayout.PageSize : page.PartBytes;

    private void WriteEntries(ref BlockSink sink, ReadOnlySpan<JournaledPage> pages)
    {
        var previous = -1L;
        (_changedPages, _changedBytes) = (0, 0);
        foreach (ref readonly var page in pages)
        {
            Invariant.Require(page.PageNumber > previous && page.RunLength > 0);
            Invariant.Require(MaxBytes(page) > 0 && MaxBytes(page) <= (long)page.RunLength * PageLayout.PageSize);
            previous = page.PageNumber;
            sink.Write(page.PageNumber);
            sink.Write(page.RunLength);
            var before = sink.Written;
            if (page.IsPart)
                WritePart(ref sink, page);
            else if (page.Old == null || !TryWriteDifferences(ref sink, page))
                WriteWhole(ref sink, page);
            if (page.Old == null)
                continue;
            _changedPages++;
            _changedBytes += sink.Written - before;
        }
    }

    private bool TryWriteDifferences(ref BlockSink sink, in JournaledPage page)
    {
        Invariant.Require(page.RunLength == 1);
        var ranges = (uint*)Unsafe.AsPointer(ref _ranges[0]);
        var count = PageDifferences.Find(page.Old, page.New, ranges, PageDifferences.MaxListBytes, out _);
        if (count < 0)
            return false;
        sink.Write((ushort)EntryForm.Differences);
        sink.Write((ushort)count);
        for (var i = 0; i < count; i++)
        {
            var start = (int)(ranges[i] & 0xFFFF);
            var length = (int)(ranges[i] >> 16) - start;
            sink.Write((ushort)start);
            sink.Write((ushort)length);
            if (_planted == PlantedFault.XorDifferences)
                PlantedXor.Write(ref sink, page.Old + start, page.New + start, length);
            else
                sink.Write(page.New + start, length);
        }
        return true;
    }

    private static void WritePart(ref BlockSink sink, in JournaledPage page)
    {
        var isLast = page.PartAt + page.PartBytes == page.WholeBytes;
        sink.Write((ushort)(isLast ? EntryForm.LastPart : EntryForm.Part));
        sink.Write(page.PartAt);
        sink.Write(page.PartBytes);
        sink.Write(page.New + page.PartAt, page.PartBytes);
    }

    private static void WriteWhole(ref BlockSink sink, in JournaledPage page)
    {
        var length = new ReadOnlySpan<byte>(page.New, MaxBytes(page)).LastIndexOfAnyExcept((byte)0) + 1;
        sink.Write((ushort)EntryForm.Whole);
        sink.Write(length);
        sink.Write(page.New, length);
    }

    /// <summary>Returns where the payload as stored lies, having set its length and the flag.</summary>
    private byte* CompressIfItPays()
    {
        var payload = _header.PayloadBytes;
        _header.StoredBytes = payload;
        if (_judge.TakesSample(payload))
            Compress(_piece.Pointer + (payload - CompressionJudge.SampleBytes) / 2, CompressionJudge.SampleBytes);
        if (payload == 0 || !_judge.ShouldCompress(payload))
            return _piece.Pointer;
        var length = Compress(_piece.Pointer, payload);
        if (length >= payload)
            return _piece.Pointer;
        _header.StoredBytes = length;
        _header.Flags |= RecordLayout.CompressedFlag;
        return _compressed.Pointer;
    }

    private long Compress(byte* source, long bytes)
    {
        _compressed.Reserve(ZstdCompressor.Bound(bytes));
        var start = _clock.GetTimestamp();
        var length = _compressor.Compress(source, bytes, _compressed.Pointer, _compressed.Capacity);
        _judge.Compressed(bytes, length, _clock.GetElapsedTime(start));
        return length;
    }

    private void LayOut(byte* stored)
    {
        var sink = BlockSink.Stamped(_blocks.Pointer, _unit);
        sink.Skip(RecordLayout.HeaderBytes);
        sink.Write(stored, _header.StoredBytes);
        End(ref sink);
    }

    /// <summary>A place for the checksum, and zeros to the end of the last block.</summary>
    private void End(ref BlockSink sink)
    {
        sink.Write(0u);
        sink.ClearRest();
        Length = RecordLayout.SizeInFile(_header.StoredBytes, _unit);
        Invariant.Require(
            sink.Written == RecordLayout.HeaderBytes + _header.StoredBytes + RecordLayout.ChecksumBytes && Length <= _blocks.Capacity
        );
    }

    /// <summary>The checksum's four bytes may lie on both sides of a stamp.</summary>
    private void WriteChecksum(uint checksum)
    {
        var perBlock = _unit - RecordLayout.StampBytes;
        var at = RecordLayout.HeaderBytes + _header.StoredBytes;
        for (var i = 0; i < RecordLayout.ChecksumBytes; i++, at++)
            _blocks.Pointer[at / perBlock * _unit + at % perBlock] = (byte)(checksum >> (8 * i));
    }
}
