using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Trees;

/// <summary>Where a structure's copy lies: a name or a place in the copy of its parent. Opened anew in each transaction.</summary>
internal sealed class CopyTarget
{
    private readonly Structure _source;
    private readonly CopyTarget? _parent;
    private PageTransaction? _openedIn;
    private Structure? _opened;

    /// <param name="source">What is copied; the copy takes its name or place, kind and options.</param>
    /// <param name="parent">Where the structure that embeds it is copied to; null for one of the catalog.</param>
    public CopyTarget(Structure source, CopyTarget? parent)
    {
        _source = source;
        _parent = parent;
    }

    /// <summary>The copy, made when it is not there.</summary>
    public Structure In(PageTransaction transaction)
    {
        if (ReferenceEquals(_openedIn, transaction))
            return _opened!;
        var opened = _parent is null
            ? transaction.Catalog.OpenAs(_source.Name, _source.Kind)
            : Siblings(transaction).Open(_source.Key, _source.Ordinal, _source.Kind);
        if (opened.State.RootPage == 0)
        {
            opened.State = _source.State.Emptied();
            opened.IsChanged = true;
            opened.OnStateLoaded();
        }
        _openedIn = transaction;
        return _opened = opened;
    }

    /// <summary>The copy is complete: an embedded one's state is written.</summary>
    public void Close(PageTransaction transaction)
    {
        if (_parent is not null)
            Siblings(transaction).Close(_source.Key);
        _openedIn = null;
    }

    private EmbeddedStructures Siblings(PageTransaction transaction) => ((BTree)_parent!.In(transaction)).Embedded;
}
