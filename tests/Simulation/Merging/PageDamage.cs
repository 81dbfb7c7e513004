using Jackdaw.Documents.Layout;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage;
using Jackdaw.Storage.Data;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Space;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Simulation.Merging;

/// <summary>
/// A flipped bit in a page of the data file, as the running machine sees it: met by whoever reads the page next, until a flush writes
/// the page anew or the machine is restarted. The medium keeps what it had, so recovery is not disturbed.
/// </summary>
internal sealed class PageDamage
{
    private readonly byte[] _damaged;
    private readonly long _page;
    private readonly int _offset;
    private readonly byte _mask;
    private readonly PageOwner _owner;

    private PageDamage(long page, PageOwner owner, int offset, byte mask, byte[] damaged)
    {
        _page = page;
        _owner = owner;
        _offset = offset;
        _mask = mask;
        _damaged = damaged;
    }

    /// <summary>Damages a page that somebody will read from the file. Null where chance found none.</summary>
    public static PageDamage? Inflict(SimulatedDisk disk, StorageEnvironment environment, SimulatedRandom random)
    {
        using var reader = environment.BeginRead("damage");
        var owner = random.Next(8) switch
        {
            < 2 => PageOwner.Shared,
            2 => PageOwner.Bookkeeping,
            _ => PageOwner.Content,
        };
        var pages = new PageList();
        if (owner == PageOwner.Shared)
            pages.AddShared(reader.PageCount);
        // The catalog itself comes first.
        foreach (var (i, structure) in reader.Catalog.Structures().Index())
        {
            if (OwnerOf(i, structure.Name) == owner)
                structure.Check(pages);
        }
        if (pages.Pages.Count == 0)
            return null;
        long page = pages.Pages[random.Next(pages.Pages.Count)];
        int offset = random.Next(PageLayout.PageSize);
        byte mask = (byte)(1 << random.Next(8));
        long start = page * PageLayout.PageSize;
        if (disk.Content(DataFile.FileName).Length < start + PageLayout.PageSize)
            return null;
        disk.FlipCached(DataFile.FileName, start + offset, mask);
        var damage = new PageDamage(
            page,
            owner,
            offset,
            mask,
            disk.Content(DataFile.FileName).Slice((int)start, PageLayout.PageSize).ToArray()
        );
        try
        {
            // As if the kernel had evicted the page: it counts as verified no more.
            reader.VerifyPage(page);
        }
        catch (CorruptedDataException found) when (found.Offset == start)
        {
            return damage;
        }
        // Not flushed yet: nobody reads it from the file.
        damage.Heal(disk);
        return null;
    }

    /// <summary>Is this where it was found, and is it told rightly whether everybody needs the page?</summary>
    public bool IsMetBy(CorruptedDataException error) =>
        error.Offset == _page * PageLayout.PageSize
        && error.Path.EndsWith(DataFile.FileName, StringComparison.Ordinal)
        && error.Message.Contains($"page {_page} ", StringComparison.Ordinal);

    /// <summary>An operation alone may be refused for it.</summary>
    public bool MayRefuse => _owner != PageOwner.Shared;

    /// <summary>It may poison: every transaction, or each commit, needs the page.</summary>
    public bool MayPoison => _owner != PageOwner.Content;

    /// <summary>The bit is as it was, unless the page has been written anew.</summary>
    public void Heal(SimulatedDisk disk)
    {
        long start = _page * PageLayout.PageSize;
        var content = disk.Content(DataFile.FileName);
        if (content.Length >= start + _damaged.Length && content.Slice((int)start, _damaged.Length).SequenceEqual(_damaged))
            disk.FlipCached(DataFile.FileName, start + _offset, _mask);
    }

    public override string ToString() => $"page {_page} ({_owner}), byte {_offset}";

    private static PageOwner OwnerOf(int position, string name) =>
        position == 0 ? PageOwner.Shared
        : name is Schema.ValuesTree or Schema.CollectionsTree ? PageOwner.Bookkeeping
        : PageOwner.Content;

    /// <summary>Who needs a page.</summary>
    private enum PageOwner
    {
        /// <summary>Documents, tombstones, identities and what tasks keep: operations alone.</summary>
        Content,

        /// <summary>The counters, which are written with each commit: operations and commits.</summary>
        Bookkeeping,

        /// <summary>The catalog, free space and the meta page: every transaction.</summary>
        Shared,
    }

    /// <summary>The first pages of what structures own.</summary>
    private sealed class PageList : IPageVisitor
    {
        public List<long> Pages { get; } = [];

        public void AddShared(long pageCount)
        {
            Pages.Add(PageLayout.MetaPage);
            for (long page = 1; page < pageCount; page += PageLayout.GroupPages)
                Pages.Add(page);
        }

        public bool Visit(long pageNumber, int runLength)
        {
            Pages.Add(pageNumber);
            return true;
        }

        public void Report(long pageNumber, string problem) => throw new OracleException($"page {pageNumber}: {problem}");
    }
}
