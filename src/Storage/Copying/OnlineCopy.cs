using Jackdaw.Storage.Data;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Headers;
using Jackdaw.Storage.Journal;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Copying;

/// <summary>
/// A copy of a living environment onto another disk, a piece a step, while transactions, flush and sync go on. What it gives is a folder
/// as a crash would leave one: opening it recovers it to a transaction that was durable when the data file had been copied, under
/// a new journal id.
/// </summary>
/// <remarks>
/// Safe, because the journal from the sync at the beginning on is kept until the end: whatever mixture of versions the copied
/// pages are, replaying
/// from that sync to a point durable after the last page was copied sets every byte that changed in between
/// (docs/storage-format.md, "Recovery").
/// The copied journal is read as that recovery will read it before the copy gets its headers: a copy of a damaged journal is none.
/// </remarks>
public sealed unsafe class OnlineCopy : IDisposable
{
    private const int PieceBytes = 1 << 20;

    private readonly StorageEnvironment _source;
    private readonly IDisk _from;
    private readonly IDisk _to;
    private readonly EnvironmentHeader _start;
    private readonly NativeArena _arena = new("online copy");
    private readonly byte* _buffer;
    private readonly long _dataBytes;
    private readonly IDiskFile _data;
    private JournalPosition _end;
    private IDiskFile? _readJournal;
    private IDiskFile? _writeJournal;
    private long _sequence;
    private long _offset;
    private Stage _stage;

    internal OnlineCopy(StorageEnvironment source, IDisk from, IDisk target, EnvironmentHeader start)
    {
        _source = source;
        _from = from;
        _to = target;
        _start = start;
        _dataBytes = start.Pages * PageLayout.PageSize;
        _buffer = _arena.Allocate(PieceBytes, 4096);
        _to.CreateDirectory(JournalOptions.DefaultDirectory);
        _data = _to.Open(DataFile.FileName, DiskFileMode.Data, create: true);
        _data.Allocate(0, _dataBytes);
    }

    private enum Stage
    {
        Data,
        Journal,
        Verification,
        Header,
        Done,
    }

    /// <summary>The transaction that the copy will open at; 0 until the data file has been copied.</summary>
    public long TransactionId => _end.TransactionId;

    /// <summary>Bytes copied so far, and bytes known to be copied in all.</summary>
    public (long Copied, long Total) Progress { get; private set; }

    /// <summary>
    /// Copies the next piece, up to a megabyte; the last step but one reads the copied journal. False when the copy is complete
    /// and durable. Throws
    /// <see cref="CorruptedDataException"/> when the journal is damaged (the copy then has no headers and cannot be opened), and
    /// <see cref="DiskException"/>.
    /// </summary>
    public bool Step()
    {
        switch (_stage)
        {
            case Stage.Data:
                CopyData();
                return true;
            case Stage.Journal:
                CopyJournal();
                return true;
            case Stage.Verification:
                VerifyJournal();
                _stage = Stage.Header;
                return true;
            case Stage.Header:
                WriteHeaders();
                _stage = Stage.Done;
                return false;
            default:
                return false;
        }
    }

    /// <summary>Ends the copy and lets journal files be recycled again.
    /// An unfinished copy stays without headers and cannot be opened.</summary>
    public void Dispose()
    {
        _source.Unpin(_start);
        _readJournal?.Dispose();
        _writeJournal?.Dispose();
        _data.Dispose();
        _arena.Free(_buffer, PieceBytes);
        _arena.Dispose();
    }

    private void CopyData()
    {
        var length = (int)Math.Min(PieceBytes, _dataBytes - _offset);
        if (length > 0)
        {
            var read = _source.Data.File.ReadAt(_offset, _buffer, length);
            Invariant.Require(read == length);
            FullWrite.Write(_data, _offset, _buffer, length, 1);
            Advance(length);
        }
        if (_offset < _dataBytes)
            return;
        _data.Sync();
        // Not before the last page is copied: everything that flush may have written into the copied pages is durable by now.
        _end = _source.DurablePosition;
        _sequence = _start.Synced.Sequence;
        _offset = 0;
        _stage = Stage.Journal;
    }

    private void CopyJournal()
    {
        if (_readJournal == null && !TryOpenJournal())
        {
            _sequence++;
            return;
        }
        var end = _sequence == _end.Sequence ? _end.Offset : _readJournal!.Length;
        var length = (int)Math.Min(PieceBytes, end - _offset);
        if (length > 0)
        {
            var read = _readJournal!.ReadAt(_offset, _buffer, length);
            Invariant.Require(read == length);
            FullWrite.Write(_writeJournal!, _offset, _buffer, length, _from.AtomicUnit);
            Advance(length);
        }
        if (_offset < end)
            return;
        // A direct write is durable, but the length that the allocation gave the file is not.
        _writeJournal!.Sync();
        _readJournal!.Dispose();
        _writeJournal.Dispose();
        _readJournal = _writeJournal = null;
        _offset = 0;
        if (_sequence++ == _end.Sequence)
            _stage = Stage.Verification;
    }

    /// <summary>Every checksum, and the chain from the sync at the beginning to the transaction that the copy promises.</summary>
    private void VerifyJournal()
    {
        var end = new JournalReader(_to, new JournalOptions { JournalId = _start.JournalId })
            .Read(_start.Synced, new VerifiedRecords())
            .Position;
        if (end.TransactionId != _end.TransactionId || end.Chain != _end.Chain)
        {
            throw new CorruptedDataException(
                $"{_to.Description}/{JournalOptions.DefaultDirectory}/{end.Sequence:x16}",
                end.Offset,
                $"the copied journal ends with transaction {end.TransactionId}, and {_end.TransactionId} was durable"
            );
        }
    }

    /// <summary>False for a sequence that was never used: a spare too small for the record that came next was passed over, and
    /// may be gone.</summary>
    private bool TryOpenJournal()
    {
        var path = $"{JournalOptions.DefaultDirectory}/{_sequence:x16}";
        try
        {
            _readJournal = _from.Open(path, DiskFileMode.Direct, create: false);
        }
        // Not asked for before: it may go in between.
        catch (DiskException e) when (e.Errno == LinuxCalls.ENOENT && _sequence != _start.Synced.Sequence && _sequence != _end.Sequence)
        {
            return false;
        }
        _writeJournal = _to.Open(path, DiskFileMode.Direct, create: true);
        _writeJournal.Allocate(0, _readJournal.Length);
        return true;
    }

    private void WriteHeaders()
    {
        _to.SyncDirectory(JournalOptions.DefaultDirectory);
        _to.SyncDirectory("");
        var header = _start with { Generation = 1, ClosedCleanly = false, IsCopy = true };
        using var files = HeaderFiles.Unwritten(_to, header);
        files.Sync(files.Write(header), header);
    }

    private void Advance(int bytes)
    {
        _offset += bytes;
        Progress = (Progress.Copied + bytes, Math.Max(_dataBytes, Progress.Copied + bytes));
    }
}
