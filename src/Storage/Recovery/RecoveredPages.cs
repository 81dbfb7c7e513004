using Jackdaw.Storage.Data;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Recovery;

/// <summary>
/// Pages under replay, collected in bounded memory and written to the data file in page order when it is full and at the end. Every page that
/// the journal touches is written, equal or not: after a failed sync the page cache may show bytes that the disk does not have.
/// </summary>
internal sealed unsafe class RecoveredPages : IDisposable
{
    private const int StagingPages = 128;
    private readonly DataFile _data;
    private readonly PlantedFault _planted;
    private readonly NativeArena _arena = new("recovery");
    private readonly Dictionary<long, int> _slots = [];
    private readonly List<nint> _blocks = [];
    private readonly int _maxPages;
    private readonly byte* _staging;
    private byte[] _isInterior = new byte[1024];
    private long[] _pageOf = new long[1024];
    private int _used;

    public RecoveredPages(DataFile data, long memoryBytes, PlantedFault planted = PlantedFault.None)
    {
        _data = data;
        _planted = planted;
        _maxPages = (int)Math.Max(16, memoryBytes / PageLayout.PageSize);
        _staging = _arena.Allocate(StagingPages * PageLayout.PageSize, 4096);
    }

    public long Written { get; private set; }

    /// <summary>Memory of a page that will be overwritten whole.</summary>
    public byte* Blank(long page) => Take(page, load: false);

    /// <summary>Memory of a page as it is by now: from an earlier record, or else from the file, whatever version that has.</summary>
    public byte* Current(long page) => Take(page, load: true);

    /// <summary>
    /// Marks a page as a later page of an overflow run: it has no header, its bytes are written as they are. (A page that begins a run has the
    /// run's checksum in it already and is written as it is, too.)
    /// </summary>
    public void WriteAsIs(long page) => _isInterior[_slots[page]] = 1;

    public void WriteOut()
    {
        var order = _pageOf.AsSpan(0, _used).ToArray();
        Array.Sort(order);
        for (var i = 0; i < order.Length;)
        {
            var run = 1;
            while (i + run < order.Length && run < StagingPages && order[i + run] == order[i] + run)
                run++;
            for (var j = 0; j < run; j++)
                Stage(order[i + j], _staging + (long)j * PageLayout.PageSize);
            _data.Grow(order[i] + run);
            if (_planted != PlantedFault.SkipEqualReplay || !FileHolds(order[i], _staging, run * PageLayout.PageSize))
                _data.Write(order[i], _staging, run * PageLayout.PageSize);
            Written += run;
            i += run;
        }
        // The device works on these while the next ones are put together: the sync at the end finds little left to do.
        if (order.Length > 0)
            _data.File.BeginWriteBack(order[0] * PageLayout.PageSize, (order[^1] + 1 - order[0]) * PageLayout.PageSize);
        _slots.Clear();
        _used = 0;
    }

    public void Dispose()
    {
        foreach (var block in _blocks)
            _arena.Free((void*)block, BlockBytes);
        _arena.Free(_staging, StagingPages * PageLayout.PageSize);
        _arena.Dispose();
    }

    private const int BlockPages = 128;
    private const long BlockBytes = (long)BlockPages * PageLayout.PageSize;

    private byte* Take(long page, bool load)
    {
        if (_slots.TryGetValue(page, out var slot))
        {
            if (!load)
                _isInterior[slot] = 0;
            return MemoryOf(slot);
        }
        if (_used == _maxPages)
            WriteOut();
        slot = _used++;
        if (slot == _pageOf.Length)
        {
            Array.Resize(ref _pageOf, slot * 2);
            Array.Resize(ref _isInterior, slot * 2);
        }
        if (slot / BlockPages == _blocks.Count)
            _blocks.Add((nint)_arena.Allocate(BlockBytes, 4096));
        _slots.Add(page, slot);
        _pageOf[slot] = page;
        _isInterior[slot] = 0;
        var memory = MemoryOf(slot);
        if (load)
            Load(page, memory);
        return memory;
    }

    private byte* MemoryOf(int slot) => (byte*)_blocks[slot / BlockPages] + (long)(slot % BlockPages) * PageLayout.PageSize;

    private bool FileHolds(long page, byte* bytes, int length)
    {
        var held = new byte[length];
        fixed (byte* buffer = held)
            _data.File.ReadAt(page * PageLayout.PageSize, buffer, length);
        return held.AsSpan().SequenceEqual(new ReadOnlySpan<byte>(bytes, length));
    }

    private void Load(long page, byte* memory)
    {
        var span = new Span<byte>(memory, PageLayout.PageSize);
        span.Clear();
        if (page < _data.Pages)
            _data.File.ReadAt(page * PageLayout.PageSize, memory, PageLayout.PageSize);
    }

    private void Stage(long page, byte* target)
    {
        var slot = _slots[page];
        Buffer.MemoryCopy(MemoryOf(slot), target, PageLayout.PageSize, PageLayout.PageSize);
        if (_isInterior[slot] == 0)
            ((PageHeader*)target)->Checksum = _data.Checksum(page, target, null, 1);
    }
}
