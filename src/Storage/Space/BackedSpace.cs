using System.Runtime.InteropServices;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Space;

/// <summary>
/// Which parts of the data file have real space behind them, in whole aligned megabytes (units), and which transaction last took pages of
/// each: so that pages are only handed out with space reserved, and never punched after they were handed out.
/// The writer calls <see cref="Claim"/> for all that it allocates; one other thread at a time may call <see cref="Punch"/>. 8
/// bytes a megabyte.
/// </summary>
internal sealed unsafe class BackedSpace : IDisposable
{
    /// <summary>Pages in a unit: 1 MB.</summary>
    public const int UnitPages = 1024 * 1024 / PageLayout.PageSize;

    private const long UnitBytes = (long)UnitPages * PageLayout.PageSize;

    // A unit's word: the last transaction that claimed it (0: none since opening), or one of these.
    private const long Hole = -1;
    private const long BeingPunched = -2;

    // Words are in segments that never move, so that both threads reach them without a lock: 8 GB of file each, 64 TB in all.
    private const int SegmentUnits = 8192;
    private const int MaxSegments = 8192;

    // Bounds one system call, and with it the time that a claim of the same range waits.
    private const int MaxUnitsPerPunch = 64;

    private readonly nint[] _segments = new nint[MaxSegments];
    private readonly IDiskFile _file;
    private long _holes;

    /// <summary>Learns the present holes from the file system. A unit with any hole in it counts as one.</summary>
    public BackedSpace(IDiskFile file)
    {
        _file = file;
        long length = file.Length;
        for (long offset = 0; offset < length && file.TryFindHole(offset, out long hole, out long holeLength) && hole < length; )
        {
            Invariant.Require(hole >= offset && holeLength > 0);
            long end = Math.Min(hole + holeLength, length);
            for (long unit = hole / UnitBytes; unit * UnitBytes < end; unit++)
                if (Interlocked.Exchange(ref Word(unit), Hole) != Hole)
                    _holes++;
            offset = hole + holeLength;
        }
    }

    /// <summary>Bytes of the file without space behind them, to the unit.</summary>
    public long HoleBytes => Volatile.Read(ref _holes) * UnitBytes;

    /// <summary>True when part of the range has no space behind it: then <see cref="Claim"/> will ask the disk for it.</summary>
    public bool NeedsBacking(long page, int count)
    {
        for (long unit = page / UnitPages; unit <= (page + count - 1) / UnitPages; unit++)
            if (Volatile.Read(ref Word(unit)) < 0)
                return true;
        return false;
    }

    /// <summary>
    /// Called by the writer for every run it allocates, before using it: reserves the space on the disk where it was punched, and
    /// from now on
    /// keeps the range from being punched by the view of an older transaction. Waits for a punch of this very range. Throws
    /// <see cref="DiskFullException"/>.
    /// </summary>
    public void Claim(long transactionId, long page, int count)
    {
        Invariant.Require(transactionId > 0 && page >= 0 && count > 0);
        long last = (page + count - 1) / UnitPages;
        for (long unit = page / UnitPages; unit <= last; unit++)
        {
            ref long word = ref Word(unit);
            if (Volatile.Read(ref word) != transactionId)
                ClaimUnit(ref word, unit, transactionId);
        }
    }

    /// <summary>
    /// Punches the whole units inside runs that are free in a transaction's view, but for those that a later transaction has claimed since.
    /// The caller sees to it that the file's bytes there serve nobody any more (docs/storage-format.md, "Punching"). Returns the
    /// bytes given back.
    /// </summary>
    /// <param name="freeRuns">Runs free in the view of <paramref name="viewTransaction"/>, which is durable and synced.</param>
    public long Punch(IEnumerable<PageRun> freeRuns, long viewTransaction)
    {
        long punched = 0;
        foreach (PageRun run in freeRuns)
        {
            long end = run.End / UnitPages;
            for (long unit = (run.First + UnitPages - 1) / UnitPages; unit < end; )
            {
                int count = TakeForPunching(unit, end, viewTransaction);
                if (count > 0)
                    PunchUnits(unit, count);
                punched += count * UnitBytes;
                unit += Math.Max(count, 1);
            }
        }
        return punched;
    }

    public void Dispose()
    {
        for (int i = 0; i < _segments.Length; i++)
            NativeMemory.Free((void*)Interlocked.Exchange(ref _segments[i], 0));
    }

    private void ClaimUnit(ref long word, long unit, long transactionId)
    {
        var wait = new SpinWait();
        while (true)
        {
            long seen = Volatile.Read(ref word);
            if (seen == BeingPunched)
            {
                wait.SpinOnce();
                continue;
            }
            if (seen == Hole)
            {
                long offset = unit * UnitBytes;
                _file.Allocate(offset, Math.Min(UnitBytes, _file.Length - offset));
                Interlocked.Decrement(ref _holes);
                Volatile.Write(ref word, transactionId); // nobody else changes a hole
                return;
            }
            if (Interlocked.CompareExchange(ref word, transactionId, seen) == seen)
                return;
        }
    }

    /// <summary>How many units from this one on are now marked as being punched: 0 when this one was claimed since, or is a hole
    /// already.</summary>
    private int TakeForPunching(long unit, long end, long viewTransaction)
    {
        int taken = 0;
        while (unit + taken < end && taken < MaxUnitsPerPunch)
        {
            ref long word = ref Word(unit + taken);
            long seen = Volatile.Read(ref word);
            if (seen < 0 || seen > viewTransaction || Interlocked.CompareExchange(ref word, BeingPunched, seen) != seen)
                break;
            taken++;
        }
        return taken;
    }

    private void PunchUnits(long unit, int count)
    {
        try
        {
            _file.Punch(unit * UnitBytes, count * UnitBytes);
        }
        finally
        {
            // Holes after a failure, too: what the disk did is unknown then, and claiming a hole is always safe.
            Interlocked.Add(ref _holes, count);
            for (int i = 0; i < count; i++)
                Volatile.Write(ref Word(unit + i), Hole);
        }
    }

    private ref long Word(long unit)
    {
        long segment = unit / SegmentUnits;
        Invariant.Require(unit >= 0 && segment < MaxSegments, "the data file is larger than 64 TB");
        nint memory = Volatile.Read(ref _segments[segment]);
        if (memory == 0)
            memory = AddSegment(segment);
        return ref ((long*)memory)[unit % SegmentUnits];
    }

    private nint AddSegment(long segment)
    {
        var made = (nint)NativeMemory.AllocZeroed(SegmentUnits, sizeof(long));
        nint first = Interlocked.CompareExchange(ref _segments[segment], made, 0);
        if (first == 0)
            return made;
        NativeMemory.Free((void*)made);
        return first;
    }
}
