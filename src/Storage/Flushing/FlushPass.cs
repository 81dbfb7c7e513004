using Jackdaw.Storage.Data;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Scratch;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Flushing;

/// <summary>
/// Writes one snapshot's pages from scratch to the data file, in page order, some at a time. The environment holds the snapshot for as long
/// as the pass lasts. docs/storage-format.md, "Flush and sync".
/// </summary>
internal sealed unsafe class FlushPass : IDisposable
{
    private const int StagingBytes = 1 << 20;
    private const int BatchEntries = 512;

    private readonly DataFile _data;
    private readonly NativeArena _arena = new("flush staging");
    private readonly PageMapEntry[] _batch = new PageMapEntry[BatchEntries];
    private readonly byte* _staging;
    private int _stagedPages;
    private long _stagedAt;
    private long _cursor;
    private (long Offset, long Length) _writingBack;

    public FlushPass(DataFile data)
    {
        _data = data;
        _staging = _arena.Allocate(StagingBytes, 4096);
    }

    /// <summary>What is being flushed; null between passes.</summary>
    public Snapshot? Snapshot { get; private set; }

    public void Begin(Snapshot snapshot)
    {
        Invariant.Require(Snapshot == null);
        Snapshot = snapshot;
        _cursor = 0;
    }

    /// <summary>
    /// Writes up to <paramref name="maxBytes"/> and adds what has been written to <paramref name="written"/>. True when the pass
    /// has reached
    /// its end; <see cref="End"/> follows.
    /// </summary>
    public bool Step(long maxBytes, List<PageMapEntry> written)
    {
        var first = long.MaxValue;
        long end = 0;
        long bytes = 0;
        var finished = false;
        while (bytes < maxBytes && !finished)
        {
            var count = Snapshot!.Map.Collect(
                _cursor,
                _batch.AsSpan(0, (int)Math.Min(BatchEntries, (maxBytes - bytes + PageLayout.PageSize - 1) / PageLayout.PageSize))
            );
            finished = count == 0;
            foreach (ref readonly var entry in _batch.AsSpan(0, count))
            {
                var slot = ScratchSlot.Of(entry.Page);
                Invariant.Require(slot->RunLength > 0, "the slot of a page in a living map has been given back");
                _cursor = entry.PageNumber + slot->RunLength;
                if (slot->Flushed != 0)
                    continue;
                Stage(entry, slot->RunLength);
                written.Add(entry);
                first = Math.Min(first, entry.PageNumber);
                end = _cursor;
                bytes += (long)slot->RunLength * PageLayout.PageSize;
                if (bytes >= maxBytes)
                    break;
            }
        }
        WriteStaged();
        foreach (var entry in written)
        {
            ScratchSlot.Of(entry.Page)->Flushed = 1;
            _data.MarkVerified(entry.PageNumber);
        }
        if (bytes > 0)
            Pace(first * PageLayout.PageSize, (end - first) * PageLayout.PageSize);
        return finished;
    }

    public void End() => Snapshot = null;

    public void Dispose()
    {
        _arena.Free(_staging, StagingBytes);
        _arena.Dispose();
    }

    private void Stage(in PageMapEntry entry, int runLength)
    {
        if (
            _stagedPages > 0
            && (entry.PageNumber != _stagedAt + _stagedPages || _stagedPages + runLength > StagingBytes / PageLayout.PageSize)
        )
            WriteStaged();
        var checksum = _data.Checksum(entry.PageNumber, entry.Page, entry.Page + PageLayout.PageSize, runLength);
        if (_stagedPages == 0)
            _stagedAt = entry.PageNumber;
        var target = _staging + (long)_stagedPages * PageLayout.PageSize;
        var whole = _stagedPages + runLength <= StagingBytes / PageLayout.PageSize;
        var copied = whole ? runLength : 1;
        Buffer.MemoryCopy(entry.Page, target, (long)copied * PageLayout.PageSize, (long)copied * PageLayout.PageSize);
        ((PageHeader*)target)->Checksum = checksum;
        _stagedPages += copied;
        if (whole)
            return;
        // A run longer than the staging buffer: its first page, with the checksum, from staging, the rest from where it lies.
        WriteStaged();
        WriteLong(entry.PageNumber + 1, entry.Page + PageLayout.PageSize, runLength - 1L);
    }

    private void WriteLong(long page, byte* bytes, long pages)
    {
        const int PagesAtOnce = 4096;
        while (pages > 0)
        {
            var count = (int)Math.Min(pages, PagesAtOnce);
            _data.Write(page, bytes, count * PageLayout.PageSize);
            page += count;
            bytes += (long)count * PageLayout.PageSize;
            pages -= count;
        }
    }

    private void WriteStaged()
    {
        if (_stagedPages > 0)
            _data.Write(_stagedAt, _staging, _stagedPages * PageLayout.PageSize);
        _stagedPages = 0;
    }

    /// <summary>Hands this step's range to write-back and waits for the one before: at most two steps' bytes are dirty, so a sync
    /// finds little to do.</summary>
    private void Pace(long offset, long length)
    {
        _data.File.BeginWriteBack(offset, length);
        if (_writingBack.Length > 0)
            _data.File.WaitForWriteBack(_writingBack.Offset, _writingBack.Length);
        _writingBack = (offset, length);
    }
}
