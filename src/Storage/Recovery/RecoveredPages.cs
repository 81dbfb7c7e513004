using Jackdaw.Storage.Data;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Recovery;

/// <summary>
/// Pages under replay, collected in bounded memory and written to the data file in page order when half of it is full and at the
/// end; while one half is
/// written, on a thread of its own where the environment wants that, the other is filled. Every page that the journal touches is
/// written, equal or not:
/// after a failed sync the page cache may show bytes that the disk does not have.
/// </summary>
internal sealed unsafe class RecoveredPages : IDisposable
{
    private const int StagingPages = 128;
    private readonly DataFile _data;
    private readonly bool _writesAside;
    private readonly PlantedFault _planted;
    private readonly NativeArena _arena = new("recovery of pages");
    private readonly byte* _staging;
    private RecoveredPageSet _open;

    /// <summary>Handed over for writing, and written once <see cref="_writing"/> is over; it stays readable until the next one is
    /// handed over.</summary>
    private RecoveredPageSet _handedOver;
    private Task? _writing;

    /// <param name="memoryBytes">For both halves.</param>
    /// <param name="writesAside">False: each half is written by the calling thread, when the next one is full.</param>
    public RecoveredPages(DataFile data, long memoryBytes, bool writesAside, PlantedFault planted = PlantedFault.None)
    {
        _data = data;
        _writesAside = writesAside;
        _planted = planted;
        var pages = (int)Math.Max(8, memoryBytes / PageLayout.PageSize / 2);
        _open = new RecoveredPageSet(pages);
        _handedOver = new RecoveredPageSet(pages);
        _staging = _arena.Allocate(StagingPages * PageLayout.PageSize, 4096);
    }

    /// <summary>Pages written; after <see cref="WriteOut"/>.</summary>
    public long Written { get; private set; }

    /// <summary>Memory of a page that will be overwritten whole.</summary>
    public byte* Blank(long page) => Take(page, load: false);

    /// <summary>Memory of a page as it is by now: from an earlier record, or else from the file, whatever version that has.</summary>
    public byte* Current(long page) => Take(page, load: true);

    /// <summary>
    /// Marks a page as a later page of an overflow run: it has no header, its bytes are written as they are. (A page that begins
    /// a run has the
    /// run's checksum in it already and is written as it is, too.)
    /// </summary>
    public void WriteAsIs(long page) => _open.SetInterior(page, true);

    /// <summary>Until everything is written. Throws what writing threw.</summary>
    public void WriteOut()
    {
        HandOver();
        EndWriting();
    }

    public void Dispose()
    {
        try
        {
            // It writes to the file, which is closed next.
            if (_writesAside)
                _writing?.Wait();
        }
        catch (AggregateException)
        {
            // Recovery has failed already, or it would have met this at its end.
        }
        _open.Dispose();
        _handedOver.Dispose();
        _arena.Free(_staging, StagingPages * PageLayout.PageSize);
        _arena.Dispose();
    }

    private byte* Take(long page, bool load)
    {
        var memory = _open.Find(page);
        if (memory != null)
        {
            if (!load)
                _open.SetInterior(page, false);
            return memory;
        }
        if (_open.IsFull)
            HandOver();
        memory = _open.Add(page);
        if (load)
            Load(page, memory);
        return memory;
    }

    /// <summary>Pages are written in the order of the halves, for a page may be in both.</summary>
    private void HandOver()
    {
        EndWriting();
        (_open, _handedOver) = (_handedOver, _open);
        _open.Clear();
        _writing = new Task(() => Write(_handedOver), TaskCreationOptions.LongRunning);
        if (_writesAside)
            _writing.Start(TaskScheduler.Default);
    }

    private void EndWriting()
    {
        if (_writing is not { } writing)
            return;
        _writing = null;
        if (!_writesAside)
            writing.RunSynchronously(TaskScheduler.Default);
        writing.GetAwaiter().GetResult();
    }

    private void Load(long page, byte* memory)
    {
        var span = new Span<byte>(memory, PageLayout.PageSize);
        // On its way to the file, or there.
        var handedOver = _handedOver.Find(page);
        if (handedOver != null)
        {
            new Span<byte>(handedOver, PageLayout.PageSize).CopyTo(span);
            return;
        }
        span.Clear();
        if (page < _data.Pages)
            _data.File.ReadAt(page * PageLayout.PageSize, memory, PageLayout.PageSize);
    }

    private void Write(RecoveredPageSet pages)
    {
        var order = pages.InOrder();
        for (var i = 0; i < order.Length; )
        {
            var run = 1;
            while (i + run < order.Length && run < StagingPages && order[i + run] == order[i] + run)
                run++;
            for (var j = 0; j < run; j++)
                pages.Stage(order[i + j], _staging + (long)j * PageLayout.PageSize, _data);
            _data.Grow(order[i] + run);
            if (_planted != PlantedFault.SkipEqualReplay || !FileHolds(order[i], _staging, run * PageLayout.PageSize))
                _data.Write(order[i], _staging, run * PageLayout.PageSize);
            Written += run;
            i += run;
        }
        // The device works on these while the next ones are put together: the sync at the end finds little left to do.
        if (order.Length > 0)
            _data.File.BeginWriteBack(order[0] * PageLayout.PageSize, (order[^1] + 1 - order[0]) * PageLayout.PageSize);
    }

    private bool FileHolds(long page, byte* bytes, int length)
    {
        var held = new byte[length];
        fixed (byte* buffer = held)
            _data.File.ReadAt(page * PageLayout.PageSize, buffer, length);
        return held.AsSpan().SequenceEqual(new ReadOnlySpan<byte>(bytes, length));
    }
}
