using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Journal;

/// <summary>
/// The journal being written: the current file, its spare, rotation and recycling. Starts no thread. Which thread calls what:
/// <c>Append</c> the journal step, one call at a time; <see cref="TryReserve"/> and <see cref="Release"/> any thread
/// (normally the one that
/// commits); <see cref="RunSpareStep"/> and <see cref="Recycle"/> one background thread.
/// </summary>
internal sealed unsafe class JournalWriter : IDisposable
{
    /// <summary>A multiple of both units that one write call takes.</summary>
    private const int MaxWriteBytes = 1 << 30;

    private readonly JournalOptions _options;
    private readonly JournalFolder _folder;
    private readonly JournalSpares _spares;
    private readonly int _unit;
    private readonly RecordBuilder _builder;
    private readonly AlignedBuffer _headerBlock = new();

    // Under _spares.Gate: shared with the threads that reserve and recycle.
    private readonly JournalReservations _reservations = new();
    private readonly List<RetiredFile> _retired = [];
    private JournalFile? _current;
    private JournalPosition _position;
    private long _bytesAppended;
    private long _payloadBytes;
    private long _records;
    private long _compressedRecords;
    private long _rotations;

    private bool _failed;

    /// <summary>The highest file whose header was written, or may have been.</summary>
    private long _highestBegun;

    /// <summary>The current file holds something after <see cref="_position"/>, or that lies in an earlier one: the next record begins a
    /// new file.</summary>
    private bool _isBehind;

    private JournalWriter(JournalOptions options, JournalFolder folder, int unit, long highestSequence)
    {
        Invariant.Require(options.FileBytes >= JournalOptions.MinFileBytes && options.FileBytes % RecordLayout.Alignment == 0);
        Invariant.Require(
            (options.FirstFileBytes ?? options.FileBytes) is var first
                && first >= JournalOptions.MinFileBytes
                && first <= options.FileBytes
                && first % RecordLayout.Alignment == 0
        );
        _options = options;
        _folder = folder;
        _unit = unit;
        _spares = new JournalSpares(folder, options, unit, highestSequence);
        _builder = new RecordBuilder(unit, options.Compression, options.Clock, options.Planted);
        _headerBlock.Reserve(RecordLayout.Alignment);
    }

    /// <summary>
    /// Begins the journal of a new environment: the folder, the first file (allocated, zero-filled, its header written), all
    /// durable on return.
    /// The first record will be transaction <paramref name="lastTransactionId"/> + 1. The folder must hold no journal file.
    /// </summary>
    public static JournalWriter Create(IDisk disk, JournalOptions options, long lastTransactionId = 0)
    {
        var folder = new JournalFolder(disk, options);
        folder.Create();
        Invariant.Require(folder.Scan(from: 0).Count == 0);
        return Begin(folder, disk, options, new JournalPosition(0, 0, 0, lastTransactionId), []);
    }

    /// <summary>
    /// Goes on after recovery: begins a new file whose header names <paramref name="end"/> as where the log validly ended;
    /// durable on return. Uses the
    /// spare that it finds, and only makes a file when there is none. <see cref="Position"/> is then what the environment's
    /// header has to name.
    /// </summary>
    public static JournalWriter BeginAfterRecovery(IDisk disk, JournalOptions options, JournalPosition end)
    {
        var folder = new JournalFolder(disk, options);
        return Begin(folder, disk, options, end, folder.Scan(end.Sequence));
    }

    /// <summary>Where the next record goes (or, when it does not fit there, where the file ends).</summary>
    public JournalPosition Position
    {
        get
        {
            lock (_spares.Gate)
                return _position;
        }
    }

    public JournalStatistics Statistics
    {
        get
        {
            var (ready, recycled, failures, lastFailure) = _spares.Statistics;
            lock (_spares.Gate)
            {
                return new JournalStatistics(
                    _bytesAppended,
                    _payloadBytes,
                    _records,
                    _compressedRecords,
                    _rotations,
                    _retired.Count + 1,
                    ready,
                    recycled,
                    failures,
                    lastFailure
                );
            }
        }
    }

    /// <summary>Bytes that differences took in the last record, on average over the pages that it might hold as differences. Null: there
    /// were none. For the journal step.</summary>
    public long? BytesOfDifferences => _builder.BytesOfDifferences;

    /// <summary>
    /// The most bytes that a record of these pages can take in a file: what to reserve for it. <paramref name="pages"/> counts
    /// the pages of runs singly.
    /// </summary>
    public long WorstCaseBytes(long entries, long pages) => RecordLayout.SizeInFile(RecordBuilder.MaxPayloadBytes(entries, pages), _unit);

    /// <summary>
    /// Sets room aside for one record, in commit order. True: the append of a record of at most so many bytes, after those
    /// reserved before it, finds room
    /// for certain. Normally only accounting; where neither the current file nor a spare can take it, a file is made (from a
    /// recycled one if there is
    /// one) on the calling thread; a record larger than a journal file gets one of its own, allocated and zero-filled here.
    /// False: there is no space on the disk for that; nothing is reserved. Another <see cref="DiskException"/>: likewise nothing.
    /// <c>Append</c> uses the oldest reservation up; <see cref="Release"/> is only for a transaction that is dropped
    /// without an append.
    /// </summary>
    public bool TryReserve(long worstCaseBytes)
    {
        Invariant.Require(worstCaseBytes > 0);
        var bytes = RoundUp(worstCaseBytes);
        try
        {
            while (!TryReserveNow(bytes))
            {
                if (bytes <= _spares.LargestCapacity)
                {
                    _spares.GrowFor(bytes);
                    _spares.MakeOne();
                    continue;
                }
                var own = _spares.MakeFor(bytes);
                lock (_spares.Gate)
                    _reservations.Add(new JournalReservation(bytes, own));
                return true;
            }
            return true;
        }
        catch (DiskFullException)
        {
            return false;
        }
    }

    /// <summary>The most bytes that a record of these pages can take in a file.</summary>
    public long WorstCaseBytes(ReadOnlySpan<JournaledPage> pages) => RecordLayout.SizeInFile(RecordBuilder.MaxPayloadOf(pages), _unit);

    /// <summary>The most payload bytes of a record that takes no more than so many bytes in a file, and fits an ordinary one.</summary>
    public long MaxPayloadIn(long bytes)
    {
        var blocks = Math.Min(bytes, _spares.LargestCapacity) / _unit;
        return blocks * (_unit - RecordLayout.StampBytes) - RecordLayout.HeaderBytes - RecordLayout.ChecksumBytes;
    }

    /// <summary>
    /// Goes back to an earlier position, of which the caller knows that it is durable and that nothing after it counts: after a failed
    /// append, or a group of records that cannot be completed. The next record begins a new file, whose header names this position as
    /// where the log ended; until that header is durable, a crash may bring a group back that was complete on the disk.
    /// </summary>
    public void GoBack(JournalPosition position)
    {
        List<JournalReservation> dropped;
        lock (_spares.Gate)
        {
            Invariant.Require(position.TransactionId <= _position.TransactionId && position.Pieces == 0);
            dropped = _reservations.Clear();
            _position = position;
            _isBehind = _options.PlantedLazy != PlantedLazyFault.GoOnInAbandonedFile || position.Sequence != _current!.Sequence;
            _failed = false;
        }
        foreach (var reservation in dropped)
            DropOwnFile(reservation);
    }

    /// <summary>
    /// After <see cref="GoBack"/>: begins the new file at once. True: what was given up can never come back. False: the disk has no room
    /// or refuses, and the next append begins the file.
    /// </summary>
    public bool TryLeaveAbandoned()
    {
        if (!_isBehind)
            return true;
        try
        {
            if (!TryReserve(_unit))
                return false;
            Rotate(_unit, reservation: null);
            return true;
        }
        catch (DiskException)
        {
            return false;
        }
        finally
        {
            lock (_spares.Gate)
                _reservations.Clear();
        }
    }

    /// <summary>Gives back a reservation whose transaction was dropped.</summary>
    public void Release(long worstCaseBytes)
    {
        JournalReservation reservation;
        lock (_spares.Gate)
            reservation = _reservations.Remove(RoundUp(worstCaseBytes));
        DropOwnFile(reservation);
    }

    /// <summary>
    /// Makes the record (pages in ascending order) and writes it; durable on return. Returns the position after it. A
    /// <see cref="DiskException"/> leaves the outcome unknown: nothing may be appended afterwards.
    /// </summary>
    public JournalPosition Append(long transactionId, ReadOnlySpan<JournaledPage> pages, long commitTicks) =>
        Append(RecordSpan.Of(transactionId), pages, commitTicks);

    /// <summary>The same for a record that covers several transactions, or only some of what they changed.</summary>
    public JournalPosition Append(in RecordSpan span, ReadOnlySpan<JournaledPage> pages, long commitTicks)
    {
        Invariant.Require(!_failed && span.First == _position.TransactionId + 1 && span.Piece == _position.Pieces && span.Count > 0);
        _failed = true;
        _builder.Build(span, pages, commitTicks);
        var length = _builder.Length;
        var reservation = TakeReservation(length);
        if (_isBehind || _position.Offset + length > _current!.Length)
            Rotate(length, reservation);
        else if (reservation is { } used)
            DropOwnFile(used);

        var chain = _builder.Seal(_current!.Salt, _position.Offset, _position.Chain);
        var started = _options.Clock.GetTimestamp();
        for (var done = 0L; done < length; )
        {
            var part = (int)Math.Min(MaxWriteBytes, length - done);
            FullWrite.Write(_current.File, _position.Offset + done, _builder.Blocks + done, part, _unit, _options.Planted);
            done += part;
        }
        _builder.Judge.Wrote(length, _options.Clock.GetElapsedTime(started));
        _failed = false;
        return Appended(span, length, chain);
    }

    /// <summary>
    /// One piece of background work: recycling or deleting a file that was handed over, or a megabyte of zeros for the spare.
    /// True: there is
    /// more to do. A failure (full disk, I/O error) harms nothing but the spare: it is counted in the statistics, and a later
    /// call tries again.
    /// </summary>
    public bool RunSpareStep() => _spares.RunStep();

    /// <summary><see cref="RunSpareStep"/> has something to do, or to try again.</summary>
    public bool HasSpareWork => _spares.IsIncomplete;

    /// <summary>
    /// Tells that both headers are durably at or past this position: files wholly before it become spares or are deleted, by later
    /// <see cref="RunSpareStep"/>s.
    /// </summary>
    public void Recycle(JournalPosition bothHeadersPast)
    {
        lock (_spares.Gate)
        {
            foreach (var file in _retired.Where(file => file.Sequence < bothHeadersPast.Sequence))
                _spares.HandOver(file);
            _retired.RemoveAll(file => file.Sequence < bothHeadersPast.Sequence);
        }
    }

    public void Dispose()
    {
        _current?.Dispose();
        _spares.Dispose();
        _builder.Dispose();
        _headerBlock.Dispose();
    }

    private static JournalWriter Begin(
        JournalFolder folder,
        IDisk disk,
        JournalOptions options,
        JournalPosition end,
        List<JournalFileSummary> files
    )
    {
        var highest = files.Count == 0 ? end.Sequence : Math.Max(end.Sequence, files[^1].Sequence);
        var writer = new JournalWriter(options, folder, options.AtomicUnit ?? disk.AtomicUnit, highest);
        try
        {
            writer.BeginFirst(end, files);
            return writer;
        }
        catch
        {
            writer.Dispose();
            throw;
        }
    }

    private void BeginFirst(JournalPosition end, List<JournalFileSummary> files)
    {
        foreach (var path in _folder.Unfinished())
            _spares.Discard(path);
        foreach (var file in files.Where(file => file.State != JournalFileState.Spare))
            _retired.Add(new RetiredFile(file.Sequence, file.Path, file.Length, Reusable: file.State == JournalFileState.InUse));
        var lastInUse = Math.Max(end.Sequence, _retired.Count == 0 ? 0 : _retired[^1].Sequence);

        // Of the spares, the first whose name comes after every file in use; a process that died may have left names that are not
        // durable yet.
        _folder.Sync();
        var spares = files.Where(file => file.State == JournalFileState.Spare && file.Length >= JournalOptions.MinFileBytes).ToList();
        var next = spares.Find(file => file.Sequence > lastInUse) ?? (spares.Count == 0 ? null : spares[0]);
        _spares.GoOnWith(
            files
                .Where(file => file.State != JournalFileState.BadHeader && file.Length % RecordLayout.Alignment == 0)
                .Select(file => file.Length)
                .DefaultIfEmpty()
                .Max()
        );
        foreach (var file in files.Where(file => file.State == JournalFileState.Spare && file != next))
        {
            if (file.Length == _spares.FileBytes && _spares.Ready.Count < _options.KeptSpares)
                _spares.Add(new JournalFile(_folder.Open(file.Path), file.Sequence, _unit));
            else
                _spares.Discard(file.Path);
        }
        _position = end;
        BeginUse(next is null ? MakeFile() : new JournalFile(_folder.Open(next.Path), next.Sequence, _unit), lastInUse);
    }

    private JournalFile MakeFile()
    {
        _spares.MakeOne();
        return _spares.Take(bytes: 0)!;
    }

    /// <summary>Turns from the current file to the record's own, or to the next spare.</summary>
    private void Rotate(long length, JournalReservation? reservation)
    {
        var next = reservation?.OwnFile ?? _spares.Take(length);
        if (next is null)
            throw new InvariantViolationException($"A journal record of {length} bytes was appended without room reserved for it.");
        _spares.NoteRotation();
        var full = _current!;
        try
        {
            BeginUse(next, full.Sequence);
        }
        catch (DiskException)
        {
            // Its header may be there or not; the file is of no further use, and must outlive what could lead a reader to it.
            lock (_spares.Gate)
                _retired.Add(new RetiredFile(next.Sequence, next.File.Path, next.Length, Reusable: false));
            next.Dispose();
            throw;
        }
        lock (_spares.Gate)
        {
            _retired.Add(new RetiredFile(full.Sequence, full.File.Path, full.File.Length));
            _rotations++;
            _isBehind = false;
        }
        full.Dispose();
    }

    /// <summary>Writes the header of a file's new use, naming the present position as where the log before it ended.</summary>
    private void BeginUse(JournalFile file, long above)
    {
        // A large record's file may have overtaken the spare's name; so may one whose header failed, and may be on the disk all the same:
        // of two files that name the same one before them the higher counts.
        if (file.Sequence <= Math.Max(above, _highestBegun))
        {
            var sequence = _spares.NextSequence();
            file.Renamed(_folder.Open(_folder.Name(file.File.Path, sequence)), sequence);
        }
        _highestBegun = file.Sequence;
        file.BeginUse(NextSalt());
        var header = new JournalFileHeader(
            _unit,
            _options.JournalId,
            file.Sequence,
            file.Salt,
            _position.TransactionId + 1,
            _position,
            file.Length
        );
        header.WriteTo(_headerBlock.Pointer);
        FullWrite.Write(file.File, 0, _headerBlock.Pointer, _unit, _unit);
        lock (_spares.Gate)
        {
            _current = file;
            _position = _position with { Sequence = file.Sequence, Offset = _unit };
        }
    }

    private ulong NextSalt()
    {
        // Zeros must not look stamped.
        ulong salt;
        do salt = _options.NextRandom();
        while ((uint)salt == 0);
        return salt;
    }

    private bool TryReserveNow(long bytes)
    {
        lock (_spares.Gate)
        {
            if (!_reservations.Fits(bytes, _isBehind ? 0 : _current!.Length - _position.Offset, _spares.Ready))
                return false;
            _reservations.Add(new JournalReservation(bytes, OwnFile: null));
            return true;
        }
    }

    private JournalReservation? TakeReservation(long length)
    {
        lock (_spares.Gate)
        {
            var reservation = _reservations.Oldest;
            Invariant.Require(reservation is null || length <= reservation.Value.Bytes);
            return reservation;
        }
    }

    private void DropOwnFile(JournalReservation reservation)
    {
        if (reservation.OwnFile is not { } file)
            return;
        var path = file.File.Path;
        file.Dispose();
        _spares.Discard(path);
    }

    /// <summary>The most bytes of buffers that are kept between two records.</summary>
    public const long MaxKeptBufferBytes = RecordBuilder.MaxKeptBytes;

    /// <summary>Bytes of buffers kept for the next record.</summary>
    public long KeptBufferBytes => _builder.KeptBytes;

    /// <summary>Gives the buffers back; not while a record is being made. Returns how many bytes that were.</summary>
    public long TrimBuffers() => _builder.TrimAll();

    private JournalPosition Appended(in RecordSpan span, long length, ulong chain)
    {
        lock (_spares.Gate)
        {
            if (_reservations.Count > 0)
                _reservations.RemoveOldest();
            _position = new JournalPosition(
                _position.Sequence,
                _position.Offset + length,
                chain,
                span.Continues ? _position.TransactionId : span.Last,
                span.Continues ? span.Piece + 1 : 0
            );
            _bytesAppended += length;
            _payloadBytes += _builder.PayloadBytes;
            _records++;
            if (_builder.IsCompressed)
                _compressedRecords++;
        }
        _builder.Trim();
        return Position;
    }

    private long RoundUp(long bytes) => (bytes + _unit - 1) / _unit * _unit;
}
