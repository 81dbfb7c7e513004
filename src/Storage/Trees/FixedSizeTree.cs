using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// A B+tree from 64-bit keys, in signed order, to values of one size; the values are bytes here,
/// <see cref="FixedSizeTree{TValue}"/> gives them a type.
/// Once something was stored, at least one page stays.
/// </summary>
internal sealed unsafe partial class FixedSizeTree : Structure
{
    /// <summary>Bytes of the largest value.</summary>
    public const int MaxValueSize = 1024;

    private byte* _tail; // the writable rightmost leaf, when known: appending needs no descent

    internal FixedSizeTree(PageTransaction transaction, string? name)
        : base(transaction, name) { }

    /// <summary>Changes with every modification, so that cursors notice.</summary>
    internal int Version { get; private set; }

    private int ValueSize => State.ValueSize;

    private int LeafCapacity => FixedSizeNode.CapacityOf(State.ValueSize);

    /// <summary>Fixes the size of a value of a tree that has held nothing yet; of any other it must be the stored one.</summary>
    internal FixedSizeTree WithValueSize(int valueSize)
    {
        Invariant.Require(valueSize is >= 0 and <= MaxValueSize);
        if (State.RootPage == 0)
            State.ValueSize = valueSize;
        Invariant.Require(State.ValueSize == valueSize, "the tree was made with values of another size");
        return this;
    }

    /// <summary>The value's bytes in page memory, or null. Readable until the transaction ends or the tree is modified.</summary>
    public byte* Find(long key)
    {
        if (State.RootPage == 0)
            return null;
        long number = State.RootPage;
        for (int level = State.Depth; level > 1; level--)
        {
            FixedSizeNode branch = ReadBranch(number);
            number = branch.Child(branch.ChildIndexOf(key));
        }
        FixedSizeNode leaf = ReadLeaf(number);
        int index = leaf.LowerBound(key);
        return index < leaf.Count && leaf.Keys[index] == key ? leaf.Value(index) : null;
    }

    /// <summary>The path to the leaf where the key is or would be; its index is that of the first key not below (possibly the
    /// count).</summary>
    internal FixedSizeNode Descend(long key, ref FixedSizePath path)
    {
        path.Depth = State.Depth;
        long number = State.RootPage;
        for (int level = 0; level < State.Depth - 1; level++)
        {
            FixedSizeNode branch = ReadBranch(number);
            int index = branch.ChildIndexOf(key);
            path[level] = new FixedSizePath.Level
            {
                Page = number,
                Index = index,
                Count = branch.Count,
            };
            number = branch.Child(index);
        }
        FixedSizeNode leaf = ReadLeaf(number);
        path[State.Depth - 1] = new FixedSizePath.Level
        {
            Page = number,
            Index = leaf.LowerBound(key),
            Count = leaf.Count,
        };
        return leaf;
    }

    internal FixedSizeNode ReadLeaf(long number)
    {
        byte* page = Transaction.ReadPage(number);
        Invariant.Require(((PageHeader*)page)->Kind == PageKind.FixedLeaf);
        return new FixedSizeNode(page, ValueSize);
    }

    internal FixedSizeNode ReadBranch(long number)
    {
        byte* page = Transaction.ReadPage(number);
        Invariant.Require(((PageHeader*)page)->Kind == PageKind.FixedBranch);
        return new FixedSizeNode(page, FixedSizeNode.ChildSize);
    }

    /// <summary>A page by its level, the root's being 0.</summary>
    internal FixedSizeNode ReadNode(long number, int level) => level == State.Depth - 1 ? ReadLeaf(number) : ReadBranch(number);

    /// <inheritdoc/>
    internal override bool DropSome(ref long pages)
    {
        RequireWritable();
        Touch();
        while (State.RootPage != 0)
        {
            if (pages <= 0)
                return false;
            DropLastLeaf(ref pages);
        }
        Invariant.Require(EntryCount == 0 && PageCount == 0);
        State = State.Emptied();
        return true;
    }

    /// <inheritdoc/>
    internal override void OnStateLoaded()
    {
        Version++;
        ForgetTail();
    }

    private void DropLastLeaf(ref long pages)
    {
        var path = default(FixedSizePath);
        FixedSizeNode leaf = Descend(long.MaxValue, ref path);
        State.EntryCount -= leaf.Count;
        int level = State.Depth - 1;
        FreeNode(leaf.Number, leaf: true);
        pages--;
        while (--level >= 0)
        {
            FixedSizeNode branch = ModifyNode(path[level].Page, level);
            branch.Remove(branch.Count - 1);
            if (branch.Count > 0)
                break;
            FreeNode(branch.Number, leaf: false);
            pages--;
        }
        if (level < 0)
            (State.RootPage, State.Depth) = (0, 0);
        while (State.Depth > 1 && ReadBranch(State.RootPage) is { Count: 1 } root)
        {
            State.RootPage = root.Child(0);
            State.Depth--;
            FreeNode(root.Number, leaf: false);
        }
    }

    private FixedSizeNode ModifyNode(long number, int level) =>
        new(Transaction.ModifyPage(number), level == State.Depth - 1 ? ValueSize : FixedSizeNode.ChildSize);

    private FixedSizeNode AllocateNode(bool leaf)
    {
        byte* page = Transaction.AllocatePages(1, leaf ? PageKind.FixedLeaf : PageKind.FixedBranch, out _);
        var header = (PageHeader*)page;
        header->Count = 0;
        header->Flags = 0;
        header->PayloadBytes = 0;
        if (leaf)
            State.LeafPages++;
        else
            State.BranchPages++;
        return new FixedSizeNode(page, leaf ? ValueSize : FixedSizeNode.ChildSize);
    }

    private void FreeNode(long number, bool leaf)
    {
        Transaction.FreePages(number, 1);
        if (leaf)
            State.LeafPages--;
        else
            State.BranchPages--;
    }

    private void Touch()
    {
        Version++;
        IsChanged = true;
        ForgetTail();
    }

    private void ForgetTail() => _tail = null;
}
