using System.Runtime.CompilerServices;

namespace Jackdaw.Storage.Trees;

/// <summary>Giving back a whole tree, leaf by leaf from the right, so that what is left at any moment is a sound tree.</summary>
public sealed unsafe partial class BTree
{
    internal override bool DropSome(ref long pages)
    {
        RequireWritable();
        _embedded?.ReleaseAll();
        while (State.RootPage != 0)
        {
            if (pages <= 0 || !DropLastLeaf(ref pages))
                return false;
        }
        Invariant.Require(PageCount == 0 && EntryCount == 0);
        State = State.Emptied();
        IsChanged = true;
        OnStateLoaded();
        return true;
    }

    /// <summary>False when the pages that may be freed are used up before the leaf was empty.</summary>
    private bool DropLastLeaf(ref long pages)
    {
        DescendToLast();
        if (KeepsCounts)
            MarkPathStale();
        IsChanged = true;
        Version++;
        int level = State.Depth - 1;
        if (State.EmbeddedCount != 0 ? !DropEntries(ref pages) : !DropRuns(ref pages))
            return false;
        FreeNode(_path[level].PageNumber, isLeaf: true);
        pages--;
        while (--level >= 0)
        {
            var branch = ModifyPath(level);
            branch.Remove(branch.Count - 1);
            if (branch.Count > 0)
                break;
            FreeNode(_path[level].PageNumber, isLeaf: false);
            pages--;
        }
        if (level < 0)
            (State.RootPage, State.Depth) = (0, 0);
        else
            ShrinkRoot();
        return true;
    }

    private void DescendToLast()
    {
        if (_path.Length == 0)
            _path = new TreePathStep[TreePath.MaxDepth];
        long pageNumber = State.RootPage;
        for (int level = 0; level < State.Depth; level++)
        {
            var page = ReadNode(pageNumber, isLeaf: level == State.Depth - 1);
            _path[level] = new TreePathStep
            {
                PageNumber = pageNumber,
                Pointer = page.Pointer,
                Index = page.Count - 1,
            };
            if (level < State.Depth - 1)
                pageNumber = page.Child(page.Count - 1);
        }
    }

    /// <summary>A leaf's overflow runs: few enough to go together.</summary>
    private bool DropRuns(ref long pages)
    {
        var leaf = new TreePage(_path[State.Depth - 1].Pointer);
        for (int i = 0; i < leaf.Count; i++)
        {
            if (leaf.IsOverflow(i))
                DropRun(leaf, i, ref pages);
        }
        State.EntryCount -= leaf.Count;
        return true;
    }

    /// <summary>A leaf's entries with the structures embedded in them, each of which may be large.</summary>
    private bool DropEntries(ref long pages)
    {
        var leaf = ModifyPath(State.Depth - 1);
        var layout = EmbeddedStates.Of(State);
        Span<byte> key = stackalloc byte[MaxKeyBytes];
        for (int i = leaf.Count - 1; i >= 0; i--)
        {
            if (pages <= 0)
                return false;
            int length = leaf.CopyKey(i, key);
            for (int ordinal = 0; ordinal < layout.Count && layout.AreIn(ReadValue(leaf, i).Length); ordinal++)
            {
                var state = layout.Read(ReadValue(leaf, i), ordinal);
                if (state.Kind == StructureKind.None)
                    continue;
                bool isGone = Embedded.DropSome(key[..length], ordinal, ref state, ref pages);
                if (!isGone || ordinal + 1 < layout.Count)
                    WriteEmbedded(key[..length], ordinal, isGone ? default : state);
                if (!isGone)
                    return false;
            }
            if (leaf.IsOverflow(i))
                DropRun(leaf, i, ref pages);
            leaf.Remove(i);
            State.EntryCount--;
        }
        return true;
    }

    private void DropRun(TreePage leaf, int index, ref long pages)
    {
        var reference = Unsafe.ReadUnaligned<OverflowReference>(leaf.ValuePointer(index));
        FreeOverflow(reference);
        pages -= reference.RunLength;
    }
}
