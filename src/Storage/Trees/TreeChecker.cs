using System.Runtime.CompilerServices;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// Walks a whole tree and reports every broken rule: kinds, layout, order, the range that the branches above promise, counts,
/// depth. Believes no
/// number that it reads before it has checked it, so a damaged page is reported and not followed.
/// </summary>
internal sealed unsafe class TreeChecker(BTree tree, IPageVisitor visitor)
{
    private readonly EmbeddedStates _embedded = EmbeddedStates.Of(tree.State);
    private readonly byte[] _previousKey = new byte[BTree.MaxKeyBytes];
    private readonly bool[] _taken = new bool[PageLayout.PageSize];
    private int _previousLength = -1;
    private long _entries;
    private long _sum;

    /// <summary>Some page could not be looked into: counts above it cannot be compared.</summary>
    private bool _hasUncounted;
    private long _leafPages;
    private long _branchPages;
    private long _overflowPages;

    public void Run()
    {
        ref readonly var state = ref tree.State;
        if (state.RootPage != 0)
        {
            if (state.Depth is 0 or > TreePath.MaxDepth)
                visitor.Report(state.RootPage, $"tree '{tree.Name}': depth {state.Depth}");
            else
                CheckPage(state.RootPage, state.Depth, low: default, high: default, isRoot: true);
        }
        Compare("entries", state.EntryCount, _entries);
        Compare("leaf pages", state.LeafPages, _leafPages);
        Compare("branch pages", state.BranchPages, _branchPages);
        Compare("overflow pages", state.OverflowPages, _overflowPages);
    }

    // Recursion as deep as the tree: at most TreePath.MaxDepth. An empty low or high: no bound on that side.
    private void CheckPage(long pageNumber, int depth, ReadOnlySpan<byte> low, ReadOnlySpan<byte> high, bool isRoot)
    {
        bool isLeaf = depth == 1;
        if (isLeaf)
            _leafPages++;
        else
            _branchPages++;
        if (!visitor.Visit(pageNumber, 1))
        {
            _hasUncounted = true;
            return;
        }
        var page = new TreePage(tree.Transaction.ReadPage(pageNumber));
        string? problem = HeaderProblem(page, pageNumber, isLeaf, isRoot) ?? LayoutProblem(page);
        if (problem is not null)
        {
            _hasUncounted = true;
            Report(pageNumber, problem);
            return;
        }
        if (isLeaf)
            CheckLeaf(page, pageNumber, low, high);
        else
            CheckBranch(page, pageNumber, depth, low, high);
    }

    private static string? HeaderProblem(TreePage page, long pageNumber, bool isLeaf, bool isRoot)
    {
        if (page.Header->Kind != (isLeaf ? PageKind.TreeLeaf : PageKind.TreeBranch))
            return $"page kind {page.Header->Kind} instead of a tree {(isLeaf ? "leaf" : "branch")}";
        if (page.Header->PageNumber != pageNumber || page.Header->RunLength != 1)
            return $"header says page {page.Header->PageNumber}, run of {page.Header->RunLength}";
        return page.Count == 0 && !(isLeaf && isRoot) ? "no entries" : null;
    }

    /// <summary>Slots, cells and prefix lie within the page, do not overlap and add up.</summary>
    private string? LayoutProblem(TreePage page)
    {
        int slotsEnd = TreePage.SlotsOffset + page.Count * TreeSlot.Size;
        int cellsEnd = PageLayout.PageSize - page.PrefixLength;
        if (page.PrefixLength > BTree.MaxKeyBytes || page.CellsStart < slotsEnd || page.CellsStart > cellsEnd)
            return $"{page.Count} slots, cells from {page.CellsStart}, prefix of {page.PrefixLength}";
        var taken = _taken.AsSpan();
        taken.Clear();
        int live = 0;
        for (int i = 0; i < page.Count; i++)
        {
            TreeSlot slot = page.Slots[i];
            if (
                slot.Cell < page.CellsStart
                || slot.Cell > cellsEnd - TreePage.CellHeaderSize
                || page.PrefixLength + slot.SuffixLength > BTree.MaxKeyBytes
            )
                return $"slot {i}: cell at {slot.Cell}, suffix of {slot.SuffixLength}";
            int size = TreePage.CellHeaderSize + slot.RestLength + page.ValueLength(i);
            if (slot.Cell + size > cellsEnd)
                return $"slot {i}: cell at {slot.Cell} of {size} bytes";
            if (taken.Slice(slot.Cell, size).Contains(true))
                return $"slot {i}: its cell overlaps another";
            taken.Slice(slot.Cell, size).Fill(true);
            live += size;
        }
        return live + page.DeadBytes == cellsEnd - page.CellsStart
            ? null
            : $"{live} bytes in cells and {page.DeadBytes} dead do not add up";
    }

    [SkipLocalsInit]
    private void CheckLeaf(TreePage page, long pageNumber, ReadOnlySpan<byte> low, ReadOnlySpan<byte> high)
    {
        Span<byte> buffer = stackalloc byte[BTree.MaxKeyBytes];
        for (int i = 0; i < page.Count; i++)
        {
            var key = buffer[..page.CopyKey(i, buffer)];
            CheckKey(page, pageNumber, i, key, low, high);
            if (_previousLength >= 0 && _previousKey.AsSpan(0, _previousLength).SequenceCompareTo(key) >= 0)
                Report(pageNumber, $"key {i} is not after the one before it");
            key.CopyTo(_previousKey);
            _previousLength = key.Length;
            _entries++;
            bool isReadable = !page.IsOverflow(i) || CheckOverflow(page, pageNumber, i);
            if (!page.IsOverflow(i) && key.Length + page.ValueLength(i) > TreePage.MaxEntryBytes)
                Report(pageNumber, $"entry {i} should be in an overflow run");
            if (tree.KeepsSums && isReadable)
                _sum += tree.SumIn(tree.ReadValue(page, i));
            _hasUncounted |= !isReadable;
            if (_embedded.Count != 0 && isReadable)
                CheckEmbedded(pageNumber, key, tree.ReadValue(page, i));
        }
    }

    private void CheckBranch(TreePage page, long pageNumber, int depth, ReadOnlySpan<byte> low, ReadOnlySpan<byte> high)
    {
        var lower = low.ToArray();
        for (int i = 0; i < page.Count; i++)
        {
            if (page.ValueLength(i) != tree.ChildBytes || page.IsOverflow(i) || (i == 0 && page.SuffixLength(0) != 0))
            {
                Report(pageNumber, $"slot {i} is not a branch's");
                return;
            }
            byte[] upper = i + 1 < page.Count ? KeyOf(page, i + 1) : high.ToArray();
            if (i + 1 < page.Count)
            {
                CheckKey(page, pageNumber, i + 1, upper, low, high);
                if (i > 0 && lower.AsSpan().SequenceCompareTo(upper) >= 0)
                    Report(pageNumber, $"separator {i + 1} is not after the one before it");
            }
            var (before, sumBefore) = (_entries, _sum);
            CheckPage(page.Child(i), depth - 1, lower, upper, isRoot: false);
            if (tree.KeepsCounts && !_hasUncounted && *page.CountBelow(i) != _entries - before)
                Report(pageNumber, $"counts {*page.CountBelow(i)} entries below slot {i}, where there are {_entries - before}");
            if (tree.KeepsSums && !_hasUncounted && *page.SumBelow(i) != _sum - sumBefore)
                Report(pageNumber, $"states a sum of {*page.SumBelow(i)} below slot {i}, where it is {_sum - sumBefore}");
            lower = upper;
        }
    }

    private void CheckKey(
        TreePage page,
        long pageNumber,
        int index,
        ReadOnlySpan<byte> key,
        ReadOnlySpan<byte> low,
        ReadOnlySpan<byte> high
    )
    {
        if (key.IsEmpty)
            Report(pageNumber, $"key {index} is empty");
        if (page.Slots[index].Head != TreeKey.Head(key[page.PrefixLength..]))
            Report(pageNumber, $"key {index}: wrong head");
        if (!low.IsEmpty && key.SequenceCompareTo(low) < 0 || !high.IsEmpty && key.SequenceCompareTo(high) >= 0)
            Report(pageNumber, $"key {index} is outside the range of the page");
    }

    /// <summary>The structures embedded in a value. Their states are believed no more than pages are.</summary>
    private void CheckEmbedded(long pageNumber, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (!_embedded.AreIn(value.Length))
            return;
        for (int ordinal = 0; ordinal < _embedded.Count; ordinal++)
        {
            var state = _embedded.Read(value, ordinal);
            if (state.IsNothing)
                continue;
            string place = $"the structure embedded under {Convert.ToHexString(key)}.{ordinal}";
            if (StructureDescriptor.Find(state.Kind) is not { } descriptor)
            {
                Report(pageNumber, $"{place} is of kind {(byte)state.Kind}");
                continue;
            }
            if (tree.Nesting == EmbeddedStates.MaxNesting)
            {
                Report(pageNumber, $"{place} lies deeper than {EmbeddedStates.MaxNesting} others");
                continue;
            }
            if (state.EntryCount == 0 && StructureDescriptor.PagesOf(state) != 0)
                Report(pageNumber, $"{place} has no entries and {StructureDescriptor.PagesOf(state)} pages");
            var embedded = tree.OpenEmbedded(key.ToArray(), ordinal, state);
            visitor.Enter(embedded);
            descriptor.Check(embedded, visitor);
            visitor.Enter(tree);
        }
    }

    /// <summary>False when the run cannot be read.</summary>
    private bool CheckOverflow(TreePage page, long pageNumber, int index)
    {
        if (page.ValueLength(index) != OverflowReference.Size)
        {
            Report(pageNumber, $"entry {index}: an overflow reference of {page.ValueLength(index)} bytes");
            return false;
        }
        var reference = Unsafe.ReadUnaligned<OverflowReference>(page.ValuePointer(index));
        if (reference.Length is < 0 or > BTree.MaxValueBytes || reference.RunLength != BTree.OverflowRunLength(reference.Length))
        {
            Report(pageNumber, $"entry {index}: {reference.Length} bytes in a run of {reference.RunLength}");
            return false;
        }
        _overflowPages += reference.RunLength;
        if (!visitor.Visit(reference.PageNumber, reference.RunLength))
            return false;
        var header = (PageHeader*)tree.Transaction.ReadPage(reference.PageNumber);
        bool isRun =
            header->Kind == PageKind.Overflow
            && header->RunLength == reference.RunLength
            && header->PayloadBytes == reference.Length
            && header->PageNumber == reference.PageNumber;
        if (!isRun)
            Report(reference.PageNumber, $"not the overflow run that page {pageNumber} refers to");
        return isRun;
    }

    private static byte[] KeyOf(TreePage page, int index)
    {
        var key = new byte[page.PrefixLength + page.SuffixLength(index)];
        page.CopyKey(index, key);
        return key;
    }

    private void Compare(string what, long stated, long found)
    {
        if (stated != found)
            visitor.Report(tree.State.RootPage, $"tree '{tree.Name}' states {stated} {what}, has {found}");
    }

    private void Report(long pageNumber, string problem) => visitor.Report(pageNumber, $"tree '{tree.Name}': {problem}");
}
