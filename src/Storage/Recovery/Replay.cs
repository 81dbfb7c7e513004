using Jackdaw.Storage.Data;
using Jackdaw.Storage.Journal;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Recovery;

/// <summary>Lays the journal's records over the data file, in order.</summary>
internal sealed unsafe class Replay : IJournalVisitor, IDisposable
{
    private readonly DataFile _data;
    private readonly PlantedFault _planted;
    private readonly RecoveredPages _pages;
    private readonly NativeArena _arena = new("recovery of runs");
    private byte* _run;
    private long _runBytes;

    public Replay(DataFile data, EnvironmentOptions options)
    {
        _data = data;
        _planted = options.Planted;
        _pages = new RecoveredPages(data, options.RecoveryMemoryBytes, options.RecoveryWritesAside, options.Planted);
    }

    public long WrittenPages => _pages.Written;

    public void Record(in RecordHeader header, JournalEntries entries)
    {
        foreach (var entry in entries)
        {
            if (entry.Form == EntryForm.Part)
                ReplayPart(entry);
            else if (entry.RunLength > 1)
                ReplayRun(entry);
            else if (_planted == PlantedFault.XorDifferences && entry.Form == EntryForm.Differences)
                PlantedXor.Apply(entry, _pages.Current(entry.PageNumber));
            else
                entry.ApplyTo(entry.Form == EntryForm.Whole ? _pages.Blank(entry.PageNumber) : _pages.Current(entry.PageNumber));
        }
    }

    public void Finish() => _pages.WriteOut();

    public void Dispose()
    {
        _pages.Dispose();
        if (_run != null)
            _arena.Free(_run, _runBytes);
        _arena.Dispose();
    }

    /// <summary>Bytes of a run whose other bytes follow in the next record: they are collected, for the checksum is over all.</summary>
    private void ReplayPart(in JournalEntry entry)
    {
        ReserveRun(entry.RunLength);
        entry.ApplyTo(_run);
    }

    private void ReserveRun(int runLength)
    {
        var bytes = (long)runLength * PageLayout.PageSize;
        if (bytes <= _runBytes)
            return;
        if (_run != null)
            _arena.Free(_run, _runBytes);
        _run = _arena.Allocate(bytes, 4096);
        _runBytes = bytes;
    }

    /// <summary>A run is kept page by page, so that a later reuse of one of its pages simply replaces that page.</summary>
    private void ReplayRun(in JournalEntry entry)
    {
        ReserveRun(entry.RunLength);
        entry.ApplyTo(_run);
        ((PageHeader*)_run)->Checksum = _data.Checksum(entry.PageNumber, _run, _run + PageLayout.PageSize, entry.RunLength);
        for (var i = 0; i < entry.RunLength; i++)
        {
            var target = _pages.Blank(entry.PageNumber + i);
            Buffer.MemoryCopy(_run + (long)i * PageLayout.PageSize, target, PageLayout.PageSize, PageLayout.PageSize);
            _pages.WriteAsIs(entry.PageNumber + i);
        }
    }
}
