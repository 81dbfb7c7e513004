using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Storage.Compaction;

/// <summary>
/// Copies every structure that one transaction sees into another environment, in the order of their keys, so that pages come out
/// full and one
/// after the other. Works in batches of bounded size, each within a transaction of the target that the caller begins and commits.
/// </summary>
internal sealed class StructureCopier : IDisposable
{
    private readonly PageTransaction _source;
    private readonly List<Structure> _structures;
    private EntrySource? _entries;
    private int _next;
    private long _entriesCopied;
    private long _bytesCopied;
    private string _current = "";

    /// <param name="source">A reader; it must live until the copying has ended.</param>
    public StructureCopier(PageTransaction source)
    {
        Invariant.Require(!source.IsWritable);
        _source = source;
        _structures = [.. source.Catalog.Structures().Skip(1)]; // the first is the catalog's own tree
        EntriesTotal = _structures.Sum(structure => structure.EntryCount);
    }

    public long EntriesTotal { get; }

    public CompactionProgress Progress => new(_current, _entriesCopied, EntriesTotal, _bytesCopied);

    /// <summary>
    /// Copies the next entries, until they come to <paramref name="maxBytes"/> of keys and values (one entry may exceed it).
    /// False when everything
    /// has been copied; the last batch may still have to be committed.
    /// </summary>
    public bool CopyBatch(PageTransaction target, long maxBytes)
    {
        Invariant.Require(target.IsWritable && maxBytes > 0);
        if (_next == 0 && _entries is null)
            CopyOwnersId(target);
        for (long copied = 0; copied < maxBytes; )
        {
            if (_entries is null)
            {
                if (_next == _structures.Count)
                    return false;
                Begin(_structures[_next++], target);
            }
            long bytes = _entries!.CopyNext(target, out int entries);
            if (bytes < 0)
            {
                End(target);
                continue;
            }
            copied += bytes;
            _bytesCopied += bytes;
            _entriesCopied += entries;
        }
        return true;
    }

    public void Dispose() => _entries?.Dispose();

    private void Begin(Structure structure, PageTransaction target)
    {
        _current = structure.Name;
        _entries = EntrySource.Of(structure);
        _entries.CreateIn(target);
    }

    private void End(PageTransaction target)
    {
        Structure copied = target.Catalog.OpenAs(_current, _structures[_next - 1].Kind);
        Invariant.Require(copied.EntryCount == _structures[_next - 1].EntryCount, "a structure was not copied whole");
        _entries!.Dispose();
        _entries = null;
    }

    /// <summary>The meta page's one field that belongs to the owner.</summary>
    private unsafe void CopyOwnersId(PageTransaction target)
    {
        var id = new ReadOnlySpan<byte>(_source.ReadPage(PageLayout.MetaPage) + PageLayout.OwnersIdOffset, PageLayout.OwnersIdSize);
        id.CopyTo(new Span<byte>(target.ModifyPage(PageLayout.MetaPage) + PageLayout.OwnersIdOffset, PageLayout.OwnersIdSize));
    }
}
