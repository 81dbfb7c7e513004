using Jackdaw.Storage.Data;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Journal;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Scratch;

namespace Jackdaw.Storage.Transactions;

/// <summary>
/// One journal write of a lazily durable environment: all that changed between two snapshots, in one record or several. Both are kept alive
/// by the environment meanwhile. Used by the journal step alone.
/// </summary>
internal sealed unsafe class LazyWrite(Snapshot @base, Snapshot target)
{
    private const int BatchEntries = 256;

    private readonly PageMapEntry[] _batch = new PageMapEntry[BatchEntries];
    private JournaledPage[] _pages = new JournaledPage[64];
    private int _count;
    private long _cursor;

    /// <summary>Bytes that earlier records hold of the run at the cursor.</summary>
    private int _runDone;

    /// <summary>Bytes that the differences of a page are expected to take.</summary>
    private long _expectedDifferences = PageLayout.PageSize;

    /// <summary>The state that is journaled already: differences are taken to it.</summary>
    public Snapshot Base { get; } = @base;

    /// <summary>The state that is journaled when the write is over.</summary>
    public Snapshot Target { get; } = target;

    /// <summary>Records begun so far.</summary>
    public int Records { get; set; }

    /// <summary>Something of this write may be on the disk.</summary>
    public bool HasWritten { get; set; }

    /// <summary>The pages of the next record.</summary>
    public ReadOnlySpan<JournaledPage> Record => _pages.AsSpan(0, _count);

    /// <summary>A record was written; its pages of which only differences are journaled took so many bytes each on average.</summary>
    public void Learn(long bytesOfDifferences) => _expectedDifferences = Math.Min(2 * bytesOfDifferences, PageLayout.PageSize);

    /// <summary>Collects the pages of the next record. True: another record must follow.</summary>
    /// <param name="data">The data file.</param>
    /// <param name="payloadBytes">The payload that the record is expected to have at most. The first record of a write is collected as if
    /// every page were journaled whole; it shows how much smaller differences are.</param>
    /// <param name="maxPayloadBytes">The payload that it may have if every page is journaled whole.</param>
    /// <param name="planted">A mistake for a test to find.</param>
    public bool CollectRecord(DataFile data, long payloadBytes, long maxPayloadBytes, PlantedLazyFault planted)
    {
        const int EntryBytes = JournalEntries.EntryHeaderBytes + (2 * sizeof(int));
        Invariant.Require(payloadBytes <= maxPayloadBytes);
        _count = 0;
        var expectedLeft = payloadBytes;
        for (var left = maxPayloadBytes; ; )
        {
            var found = Target.Map.CollectNewerThan(Base.Version, _cursor, _batch);
            foreach (ref readonly var entry in _batch.AsSpan(0, found))
            {
                var page = Describe(entry, data, planted);
                var bytes = page.WholeBytes - _runDone;
                var expected = page.Old == null ? bytes : Math.Min(bytes, _expectedDifferences);
                if (EntryBytes + bytes > left || EntryBytes + expected > expectedLeft)
                {
                    if (_count > 0)
                        return true;
                    Invariant.Require(page.RunLength > 1 && expectedLeft > EntryBytes, "a record must hold a page");
                    var part = (int)(expectedLeft - EntryBytes);
                    Add(page.Part(_runDone, part));
                    _cursor = entry.PageNumber;
                    _runDone += part;
                    return true;
                }
                Add(_runDone > 0 ? page.Part(_runDone, bytes) : page);
                left -= EntryBytes + bytes;
                expectedLeft -= EntryBytes + expected;
                _cursor = entry.PageNumber + page.RunLength;
                _runDone = 0;
            }
            if (found < BatchEntries)
                return false;
        }
    }

    private JournaledPage Describe(in PageMapEntry entry, DataFile data, PlantedLazyFault planted)
    {
        var slot = ScratchSlot.Of(entry.Page);
        Invariant.Require(slot->RunLength > 0, "the slot of a page in a living map has been given back");
        if (slot->RunLength > 1)
        {
            var meaningful = PageLayout.HeaderSize + ((PageHeader*)entry.Page)->PayloadBytes;
            return new JournaledPage(entry.PageNumber, slot->RunLength, entry.Page, null, meaningful);
        }
        var old = planted == PlantedLazyFault.DifferencesToUnjournaledState ? slot->Base : PageAtBase(entry.PageNumber, slot, data);
        return new JournaledPage(entry.PageNumber, 1, entry.Page, old, PageLayout.PageSize);
    }

    /// <summary>The page as it is in the journal; null where it was allocated since.</summary>
    private byte* PageAtBase(long pageNumber, ScratchSlot* slot, DataFile data)
    {
        if (slot->AllocatedAt > Base.Version)
            return null;
        var page = Base.Map.Find(pageNumber);
        if (page != null)
        {
            Invariant.Require(ScratchSlot.Of(page)->RunLength == 1, "the page as last journaled has been given back");
            return page;
        }
        try
        {
            return data.Read(pageNumber);
        }
        catch (StorageException)
        {
            // What it was can no longer be read; what it is now is sound, and is journaled whole.
            return null;
        }
    }

    private void Add(in JournaledPage page)
    {
        if (_count == _pages.Length)
            Array.Resize(ref _pages, _count * 2);
        _pages[_count++] = page;
    }
}
