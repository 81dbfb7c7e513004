using System.Runtime.CompilerServices;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

public sealed unsafe partial class BTree
{
    /// <summary>So many insertions one right behind the other, and a full page is split where the next one goes: ascending keys
    /// fill pages.</summary>
    private const int AscendingRunToTrust = 3;

    /// <summary>Splits the leaf of the path, and the branches above as far as they are full too. Returns the room for the new
    /// entry's value.</summary>
    [SkipLocalsInit]
    private byte* SplitAndInsert(ReadOnlySpan<byte> key, int storedLength, bool isOverflow)
    {
        Span<byte> separator = stackalloc byte[MaxKeyBytes];
        Span<byte> above = stackalloc byte[MaxKeyBytes];
        _edgeLeaf = null;
        int level = State.Depth - 1;
        long newPage = Split(level, key, storedLength, isOverflow, separator, out int separatorLength, out byte* leafRoom);
        while (level > 0)
        {
            level--;
            var branch = ModifyPath(level);
            _path[level].Index++;
            byte* room = branch.TryInsert(_path[level].Index, separator[..separatorLength], ChildBytes, isOverflow: false);
            if (room != null)
            {
                WriteChild(room, newPage);
                return leafRoom;
            }
            long child = newPage;
            newPage = Split(level, separator[..separatorLength], ChildBytes, false, above, out int aboveLength, out room);
            WriteChild(room, child);
            above[..aboveLength].CopyTo(separator);
            separatorLength = aboveLength;
        }
        GrowRoot(separator[..separatorLength], newPage);
        return leafRoom;
    }

    /// <summary>
    /// Divides the path's page of that level, with the new entry, between itself and a new page to its right. The separator
    /// between the two is for
    /// the level above. Returns the new page's number.
    /// </summary>
    [SkipLocalsInit]
    private long Split(
        int level,
        ReadOnlySpan<byte> key,
        int storedLength,
        bool isOverflow,
        Span<byte> separator,
        out int separatorLength,
        out byte* room
    )
    {
        var page = new TreePage(_path[level].Pointer);
        bool isBranch = page.IsBranch;
        int at = _path[level].Index;
        byte* copy = stackalloc byte[PageLayout.PageSize];
        Unsafe.CopyBlockUnaligned(copy, page.Pointer, PageLayout.PageSize);
        var list = new EntryList(stackalloc EntryReference[EntryList.MaxOnOnePage]);
        list.AddRange(new TreePage(copy), 0, page.Count);
        list.InsertExtra(at, key, storedLength, isOverflow);

        int run = page.AscendingRun;
        int split = ChooseSplit(list, page, at);
        separatorLength = Separate(list, split, isBranch, separator);
        var right = AllocateNode(page.Header->Kind, out long newPage);
        if (_locatedOnRightmost && !isBranch)
            _edgeLeaf = right.Pointer;
        if (at == split && at == list.Count - 1)
        {
            room = AppendToNewPage(page, right, key, storedLength, isOverflow);
        }
        else
        {
            byte* leftRoom = list.WriteTo(page, 0, split);
            byte* rightRoom = list.WriteTo(right, split, list.Count);
            room = leftRoom != null ? leftRoom : rightRoom;
        }
        if (at == split)
            right.ContinueRun(run, lastInsert: 0);
        else if (at == split - 1)
            page.ContinueRun(run, lastInsert: at);
        return newPage;
    }

    /// <summary>The new entry alone goes to the new page, whose prefix is guessed from the entry before.</summary>
    [SkipLocalsInit]
    private static byte* AppendToNewPage(TreePage left, TreePage right, ReadOnlySpan<byte> key, int storedLength, bool isOverflow)
    {
        if (left.IsBranch)
        {
            right.Initialize(default);
            return right.AppendWithoutKey(storedLength);
        }
        Span<byte> before = stackalloc byte[MaxKeyBytes];
        int shared = before[..left.CopyKey(left.Count - 1, before)].CommonPrefixLength(key);
        right.Initialize(key[..shared]);
        return right.Append(key, storedLength, isOverflow);
    }

    /// <summary>How many entries stay on the left.</summary>
    private int ChooseSplit(in EntryList list, TreePage page, int at)
    {
        bool isBranch = page.IsBranch;
        bool isAtRightEdge = _locatedOnRightmost && at == page.Count;
        bool isAscending = page.AscendingRun >= AscendingRunToTrust && at == page.LastInsert + 1;
        // The next keys of the run find room: what follows the run goes to the right, the run's pages fill up one after the other.
        if (isAscending && at < page.Count && FitBoth(list, at + 1, isBranch))
            return at + 1;
        if ((isAtRightEdge || isAscending) && FitBoth(list, at, isBranch))
            return at;
        int balanced = Balance(list, isBranch);
        if (FitBoth(list, balanced, isBranch))
            return balanced;
        // Only a key that shares too little with the others leads here, and such a key is the first or the last.
        int apart = at == page.Count ? at : 1;
        Invariant.Require(FitBoth(list, apart, isBranch));
        return apart;
    }

    private static bool FitBoth(in EntryList list, int split, bool isBranch) =>
        list.Fits(0, split, isBranch) && list.Fits(split, list.Count, isBranch);

    /// <summary>The split that leaves the two sides most nearly equal in bytes; neither is empty.</summary>
    private static int Balance(in EntryList list, bool isBranch)
    {
        int prefixLength = list.SharedPrefixLength(0, list.Count, isBranch);
        int total = list.UsedBytes(0, list.Count, isBranch, prefixLength);
        int left = 0;
        int best = 1;
        int bestDistance = int.MaxValue;
        for (int i = 0; i < list.Count - 1; i++)
        {
            left += list.EntryBytes(i, prefixLength, isKeyless: isBranch && i == 0);
            int distance = Math.Abs(total - 2 * left);
            if (distance >= bestDistance)
                break;
            (best, bestDistance) = (i + 1, distance);
        }
        return best;
    }

    private static int Separate(in EntryList list, int split, bool isBranch, Span<byte> separator)
    {
        int length = list.CopyKey(split, separator);
        if (isBranch)
            return length;
        Span<byte> before = stackalloc byte[MaxKeyBytes];
        return TreeKey.SeparatorLength(before[..list.CopyKey(split - 1, before)], separator[..length]);
    }

    private void GrowRoot(ReadOnlySpan<byte> separator, long rightPage)
    {
        Invariant.Require(State.Depth < TreePath.MaxDepth);
        var root = AllocateNode(PageKind.TreeBranch, out long pageNumber);
        root.Initialize(default);
        WriteChild(root.AppendWithoutKey(ChildBytes), State.RootPage);
        WriteChild(root.Append(separator, ChildBytes, isOverflow: false), rightPage);
        State.RootPage = pageNumber;
        State.Depth++;
    }
}
