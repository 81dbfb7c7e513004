using System.Runtime.CompilerServices;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

/// <summary>Looking many keys up together.</summary>
/// <remarks>
/// In a tree larger than the processor's caches, a look-up waits for memory several times on each level, one wait after the other. Here all
/// keys descend level by level: while the processor waits for one of them, it already fetches the lines that the others need.
/// </remarks>
public sealed unsafe partial class BTree
{
    /// <summary>The most keys that are looked up together.</summary>
    public const int MaxTogether = 32;

    /// <summary>Bytes of a value that are fetched before somebody reads them: with as many values, half of a small second-level
    /// cache.</summary>
    private const int MaxFetchedBytes = 1024;

    /// <summary>
    /// Finds the values of up to <see cref="MaxTogether"/> keys: for each key the value that <see cref="TryGet"/> returns, in the same
    /// place. An empty key has none. Errors as for <see cref="TryGet"/>.
    /// </summary>
    [SkipLocalsInit]
    public void TryGetTogether(ReadOnlySpan<PageBytes> keys, Span<PageBytes> values)
    {
        Invariant.Require(keys.Length <= MaxTogether && keys.Length == values.Length);
        values.Clear();
        int depth = State.Depth;
        if (depth == 0)
            return;
        nint* pages = stackalloc nint[MaxTogether];
        new Span<nint>(pages, keys.Length).Fill((nint)ReadNode(State.RootPage, isLeaf: depth == 1).Pointer);
        for (int level = 1; level < depth; level++)
            Descend(keys, pages, isToLeaf: level == depth - 1);
        for (int i = 0; i < keys.Length; i++)
            new TreePage((byte*)pages[i]).FetchSlots(keys[i].Span);
        int* indexes = stackalloc int[MaxTogether];
        for (int i = 0; i < keys.Length; i++)
        {
            var leaf = new TreePage((byte*)pages[i]);
            bool exact = false;
            int index = keys[i].Span.IsEmpty ? -1 : leaf.LowerBound(keys[i].Span, 0, out exact);
            indexes[i] = exact ? index : -1;
            if (exact)
                CacheLines.Fetch(leaf.CellPointer(index));
        }
        for (int i = 0; i < keys.Length; i++)
        {
            if (indexes[i] < 0)
                continue;
            values[i] = PageBytes.Of(ReadValue(new TreePage((byte*)pages[i]), indexes[i]));
            FetchValue(values[i]);
        }
    }

    /// <summary>Whoever looks values up reads them next, one after the other: the first of each are on their way by then.</summary>
    private static void FetchValue(in PageBytes value)
    {
        int bytes = Math.Min(value.Span.Length, MaxFetchedBytes);
        for (int at = 0; at < bytes; at += CacheLines.Bytes)
            CacheLines.Fetch(value.Pointer + at);
        // A value begins somewhere in a line.
        CacheLines.Fetch(value.Pointer + bytes);
    }

    /// <summary>All keys go down by one level.</summary>
    [SkipLocalsInit]
    private void Descend(ReadOnlySpan<PageBytes> keys, nint* pages, bool isToLeaf)
    {
        byte** children = stackalloc byte*[MaxTogether];
        for (int i = 0; i < keys.Length; i++)
        {
            if (keys[i].Span.IsEmpty)
                continue;
            var branch = new TreePage((byte*)pages[i]);
            children[i] = branch.ValuePointer(branch.FindChild(keys[i].Span));
            CacheLines.Fetch(children[i]);
        }
        for (int i = 0; i < keys.Length; i++)
        {
            if (keys[i].Span.IsEmpty)
                continue;
            byte* page = Transaction.ReadPage(*(long*)children[i]);
            pages[i] = (nint)page;
            CacheLines.Fetch(page);
            CacheLines.Fetch(page + PageLayout.PageSize - 1); // where the prefix lies
        }
        for (int i = 0; i < keys.Length; i++)
        {
            if (keys[i].Span.IsEmpty)
                continue;
            var page = new TreePage((byte*)pages[i]);
            Invariant.Require(page.Header->Kind == (isToLeaf ? PageKind.TreeLeaf : PageKind.TreeBranch));
            page.FetchSlots();
        }
    }
}
