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
        int* indexes = stackalloc int[MaxTogether];
        new Span<nint>(pages, keys.Length).Fill((nint)ReadNode(State.RootPage, isLeaf: depth == 1).Pointer);
        for (int level = 1; level < depth; level++)
            Descend(keys, pages, indexes);
        Aim(keys, pages, indexes, PageKind.TreeLeaf, first: 0);
        for (int i = 0; i < keys.Length; i++)
        {
            var leaf = new TreePage((byte*)pages[i]);
            bool exact = false;
            int index = keys[i].Span.IsEmpty ? -1 : leaf.LowerBoundNear(keys[i].Span, 0, indexes[i], out exact);
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

    /// <summary>All keys go down by one level, from branches.</summary>
    /// <param name="keys">The keys.</param>
    /// <param name="pages">For each key the branch that it has come to; then the page below.</param>
    /// <param name="guesses">Room for a number for each key.</param>
    [SkipLocalsInit]
    private void Descend(ReadOnlySpan<PageBytes> keys, nint* pages, int* guesses)
    {
        byte** children = stackalloc byte*[MaxTogether];
        Aim(keys, pages, guesses, PageKind.TreeBranch, first: 1);
        for (int i = 0; i < keys.Length; i++)
        {
            if (keys[i].Span.IsEmpty)
                continue;
            var branch = new TreePage((byte*)pages[i]);
            int at = branch.LowerBoundNear(keys[i].Span, 1, guesses[i], out bool exact);
            children[i] = branch.ValuePointer(exact ? at : at - 1);
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
    }

    /// <summary>Guesses where each key is on its page, and asks for the slots that the search compares.</summary>
    private static void Aim(ReadOnlySpan<PageBytes> keys, nint* pages, int* guesses, PageKind kind, int first)
    {
        for (int i = 0; i < keys.Length; i++)
        {
            if (keys[i].Span.IsEmpty)
                continue;
            var page = new TreePage((byte*)pages[i]);
            Invariant.Require(page.Header->Kind == kind);
            page.FetchLastSlot();
        }
        bool areAllGuessed = true;
        for (int i = 0; i < keys.Length; i++)
        {
            if (keys[i].Span.IsEmpty)
                continue;
            var page = new TreePage((byte*)pages[i]);
            guesses[i] = page.Guess(keys[i].Span, first);
            if (guesses[i] == TreePage.NoGuess)
            {
                page.FetchSlots();
                areAllGuessed = false;
            }
            else
                page.FetchNear(guesses[i]);
        }
        for (int i = 0; !areAllGuessed && i < keys.Length; i++)
        {
            if (!keys[i].Span.IsEmpty && guesses[i] == TreePage.NoGuess)
                new TreePage((byte*)pages[i]).FetchSlots(keys[i].Span);
        }
    }
}
