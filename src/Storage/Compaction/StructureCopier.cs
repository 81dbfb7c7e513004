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
    private const double MaxFullness = 0.5;

    private readonly PageTransaction _source;
    private readonly List<Structure> _structures;

    /// <summary>The structure that is being copied, and on top of it what is embedded in the value that was copied last.</summary>
    private readonly Stack<StructureCopy> _copies = [];
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
    /// Copies the next entries, until they come to <paramref name="maxBytes"/> of keys and values (one entry may exceed it) or the
    /// target's transaction is half full: small embedded structures take far more pages than bytes. False when everything has been
    /// copied; the last batch may still have to be committed.
    /// </summary>
    public bool CopyBatch(PageTransaction target, long maxBytes)
    {
        Invariant.Require(target.IsWritable && maxBytes > 0);
        if (_next == 0 && _copies.Count == 0)
            CopyOwnersId(target);
        for (long copied = 0; copied < maxBytes && target.Fullness < MaxFullness; )
        {
            if (_copies.Count == 0)
            {
                if (_next == _structures.Count)
                    return false;
                var structure = _structures[_next++];
                _current = structure.Name;
                Begin(StructureDescriptor.Of(structure.Kind).BeginCopy(structure, new CopyTarget(structure, parent: null)), target);
            }
            copied += CopyNext(_copies.Peek(), target);
        }
        return true;
    }

    public void Dispose()
    {
        foreach (var copy in _copies)
            copy.Dispose();
    }

    private long CopyNext(StructureCopy copy, PageTransaction target)
    {
        if (copy.NextEmbedded() is { } embedded)
        {
            Begin(embedded, target);
            return 0;
        }
        long bytes = copy.CopyNext(target, out int entries);
        if (bytes < 0)
        {
            copy.End(target);
            _copies.Pop().Dispose();
            return 0;
        }
        _bytesCopied += bytes;
        if (_copies.Count == 1)
            _entriesCopied += entries;
        return bytes;
    }

    private void Begin(StructureCopy copy, PageTransaction target)
    {
        _copies.Push(copy);
        copy.Target.In(target);
    }

    /// <summary>The meta page's one field that belongs to the owner.</summary>
    private unsafe void CopyOwnersId(PageTransaction target)
    {
        var id = new ReadOnlySpan<byte>(_source.ReadPage(PageLayout.MetaPage) + PageLayout.OwnersIdOffset, PageLayout.OwnersIdSize);
        id.CopyTo(new Span<byte>(target.ModifyPage(PageLayout.MetaPage) + PageLayout.OwnersIdOffset, PageLayout.OwnersIdSize));
    }
}
