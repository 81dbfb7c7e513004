using System.Runtime.CompilerServices;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

public sealed unsafe partial class BTree
{
    /// <summary>Where <see cref="Locate"/> found that the key is or belongs: the leaf and the slot.</summary>
    private TreePathStep _located;

    private bool _locatedExactly;

    /// <summary>The leaf was found without a descent: it is the rightmost one, the key goes behind its last, and there is no
    /// path.</summary>
    private bool _locatedAtEdge;

    /// <summary>The rightmost leaf was found (either way).</summary>
    private bool _locatedOnRightmost;

    /// <summary>Checks the arguments of a modification and finds its place.</summary>
    private void Locate(ReadOnlySpan<byte> key, int valueBytes)
    {
        RequireWritable();
        RequireKey(key);
        RequireValueLength(valueBytes);
        _sumChange = 0;
        _knowsSumChange = !KeepsSums;
        if (State.RootPage == 0)
            CreateRoot();
        if (_edgeLeaf != null)
        {
            var edge = new TreePage(_edgeLeaf);
            int count = edge.Count;
            if (count != 0 && edge.CompareKey(count - 1, key) < 0)
            {
                _located.Pointer = _edgeLeaf;
                _located.Index = count;
                _locatedExactly = false;
                _locatedAtEdge = true;
                _locatedOnRightmost = true;
                return;
            }
        }
        Descend(key);
    }

    /// <summary>Fills the path and the located place.</summary>
    private void Descend(ReadOnlySpan<byte> key)
    {
        int last = State.Depth - 1;
        Invariant.Require(last is >= 0 and < TreePath.MaxDepth);
        if (_path.Length == 0)
            _path = new TreePathStep[TreePath.MaxDepth];
        long pageNumber = State.RootPage;
        bool rightmost = true;
        for (int level = 0; level < last; level++)
        {
            var branch = ReadNode(pageNumber, isLeaf: false);
            int child = branch.FindChild(key);
            ref var step = ref _path[level];
            step.PageNumber = pageNumber;
            step.Pointer = branch.Pointer;
            step.Index = child;
            rightmost &= child == branch.Count - 1;
            pageNumber = branch.Child(child);
        }
        var leaf = ReadNode(pageNumber, isLeaf: true);
        ref var leafStep = ref _path[last];
        leafStep.PageNumber = pageNumber;
        leafStep.Pointer = leaf.Pointer;
        leafStep.Index = leaf.LowerBound(key, 0, out _locatedExactly);
        _located = leafStep;
        _locatedAtEdge = false;
        _locatedOnRightmost = rightmost;
    }

    /// <summary>
    /// Adds the located entry, or changes the length of its value. The overflow run that it had before is handed out, not freed:
    /// the new value may
    /// be in it.
    /// </summary>
    private Span<byte> Place(scoped ReadOnlySpan<byte> key, int valueBytes, out bool isNew, out OverflowReference replaced)
    {
        replaced = default;
        isNew = !_locatedExactly;
        bool isOverflow = key.Length + valueBytes > TreePage.MaxEntryBytes;
        byte* payload = null;
        var reference = isOverflow ? AllocateOverflow(valueBytes, out payload) : default;
        int storedLength = isOverflow ? OverflowReference.Size : valueBytes;
        byte* room = isNew ? InsertLocated(key, storedLength, isOverflow) : ReplaceLocated(key, storedLength, isOverflow, out replaced);
        Version++;
        if (!isOverflow)
            return new Span<byte>(room, valueBytes);
        Unsafe.WriteUnaligned(room, reference);
        return new Span<byte>(payload, valueBytes);
    }

    private byte* InsertLocated(ReadOnlySpan<byte> key, int storedLength, bool isOverflow)
    {
        State.EntryCount++;
        IsChanged = true;
        if (_locatedAtEdge)
        {
            byte* room = new TreePage(_edgeLeaf).TryInsert(_located.Index, key, storedLength, isOverflow);
            if (room != null)
                return room;
            Descend(key);
        }
        return InsertAtPath(key, storedLength, isOverflow, added: 1);
    }

    private byte* InsertAtPath(ReadOnlySpan<byte> key, int storedLength, bool isOverflow, int added)
    {
        int level = State.Depth - 1;
        // Later insertions at the edge take no path, so the rightmost leaf is counted at the end of the batch.
        bool isCounted = KeepsCounts && _knowsSumChange && !_locatedOnRightmost;
        if (KeepsCounts && !isCounted)
            MarkPathStale();
        var leaf = ModifyPath(level);
        if (_locatedOnRightmost)
            _edgeLeaf = leaf.Pointer;
        byte* room = leaf.TryInsert(_path[level].Index, key, storedLength, isOverflow);
        if (room == null)
        {
            if (isCounted)
                MarkPathStale();
            return SplitAndInsert(key, storedLength, isOverflow);
        }
        if (isCounted)
            AddToPath(added, _sumChange);
        return room;
    }

    private byte* ReplaceLocated(ReadOnlySpan<byte> key, int storedLength, bool isOverflow, out OverflowReference replaced)
    {
        int level = State.Depth - 1;
        int index = _path[level].Index;
        var leaf = ModifyPath(level);
        replaced = leaf.IsOverflow(index) ? Unsafe.ReadUnaligned<OverflowReference>(leaf.ValuePointer(index)) : default;
        int before = leaf.ValueLength(index);
        if (storedLength <= before)
        {
            if (!_knowsSumChange)
                MarkPathStale();
            else if (KeepsSums)
                AddToPath(entries: 0, _sumChange);
            if (storedLength != before || isOverflow != leaf.IsOverflow(index))
                leaf.ShrinkValue(index, storedLength, isOverflow);
            return leaf.ValuePointer(index);
        }
        leaf.Remove(index);
        return InsertAtPath(key, storedLength, isOverflow, added: 0);
    }

    private void CreateRoot()
    {
        var root = AllocateNode(PageKind.TreeLeaf, out long pageNumber);
        root.Initialize(default);
        State.RootPage = pageNumber;
        State.Depth = 1;
        IsChanged = true;
    }

    /// <summary>Makes the path's page of that level writable and notes its memory.</summary>
    private TreePage ModifyPath(int level)
    {
        ref var step = ref _path[level];
        step.Pointer = Transaction.ModifyPage(step.PageNumber);
        return new TreePage(step.Pointer);
    }

    private TreePage AllocateNode(PageKind kind, out long pageNumber)
    {
        byte* page = Transaction.AllocatePages(1, kind, out pageNumber);
        if (kind == PageKind.TreeLeaf)
            State.LeafPages++;
        else
            State.BranchPages++;
        IsChanged = true;
        return new TreePage(page);
    }

    private void FreeNode(long pageNumber, bool isLeaf)
    {
        Transaction.FreePages(pageNumber, 1);
        if (isLeaf)
            State.LeafPages--;
        else
            State.BranchPages--;
        IsChanged = true;
        _edgeLeaf = null;
    }
}
