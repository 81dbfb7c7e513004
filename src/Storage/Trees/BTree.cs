using System.Runtime.CompilerServices;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Space;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// A B+tree from keys of 1 to <see cref="MaxKeyBytes"/> bytes, in the order of their bytes, to values of up to <see cref="MaxValueBytes"/>.
/// Obtained from <see cref="PageTransaction.Catalog"/>; lives as long as its transaction and belongs to that transaction's thread.
/// </summary>
/// <remarks>An exception out of the middle of a modification (a full disk, a damaged page) leaves it half done: drop the
/// transaction.</remarks>
public sealed unsafe partial class BTree : Structure
{
    /// <summary>The longest key, in bytes.</summary>
    public const int MaxKeyBytes = 1024;

    /// <summary>Some 510 MB: what the longest run of pages holds.</summary>
    public const int MaxValueBytes = FreeSpace.MaxRunPages * PageLayout.PageSize - PageLayout.HeaderSize;

    /// <summary>Made with the first modification: a reader's tree is smaller without.</summary>
    private TreePathStep[] _path = [];

    /// <summary>The writable memory of the rightmost leaf, when it is known: ascending keys go there without a descent.</summary>
    private byte* _edgeLeaf;

    internal BTree(PageTransaction transaction, string? name)
        : base(transaction, name) { }

    /// <summary>Changes with every modification; cursors compare it.</summary>
    internal int Version { get; private set; }

    /// <summary>The value lies in page memory: it stays readable until the transaction ends, or in a writer until its next
    /// modification.</summary>
    public bool TryGet(scoped ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        if (FindEntry(key, out var leaf, out int index))
        {
            value = ReadValue(leaf, index);
            return true;
        }
        value = default;
        return false;
    }

    /// <summary>True when the key exists.</summary>
    public bool Contains(ReadOnlySpan<byte> key) => FindEntry(key, out _, out _);

    /// <summary>
    /// Adds the entry or replaces its value. True when the key is new. Key and value may lie in this tree's own pages.
    /// Throws <see cref="ArgumentException"/> for an empty key, <see cref="LimitExceededException"/> for one or a value that is too long.
    /// </summary>
    /// <remarks>In a tree that embeds states: the states of the value that is replaced stay, whatever the new one has in their place; a new
    /// value that is too short for them drops their structures.</remarks>
    public bool Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Locate(key, value.Length);
        if (LiesInLeaf(value) || LiesInLeaf(key))
            return PutFromCopies(key, value);
        if (KeepsSums)
            NoteSumChange(value);
        if (State.EmbeddedCount != 0)
            return PutAroundStates(key, value);
        var room = Place(key, value.Length, out bool isNew, out var replaced);
        value.CopyTo(room);
        FreeOverflow(replaced);
        return isNew;
    }

    /// <summary>
    /// Adds or replaces the entry and returns the room for its value, undefined bytes that the caller fills before the next
    /// modification through
    /// the transaction. The key must not lie in this tree's own pages. Errors as for <see cref="Put"/>. Not for trees that embed states.
    /// </summary>
    public Span<byte> Reserve(scoped ReadOnlySpan<byte> key, int valueBytes, out bool isNew)
    {
        Invariant.Require(State.EmbeddedCount == 0, "whoever fills the room would overwrite the states in it");
        Locate(key, valueBytes);
        var room = Place(key, valueBytes, out isNew, out var replaced);
        FreeOverflow(replaced);
        return room;
    }

    /// <summary>A cursor from the thread's pool; dispose of it to give it back.</summary>
    public BTreeCursor OpenCursor() => BTreeCursor.Rent(this);

    internal override void Check(IPageVisitor visitor)
    {
        if (Transaction.IsWritable)
            CompleteBatch();
        new TreeChecker(this, visitor).Run();
    }

    internal override void OnStateLoaded()
    {
        _edgeLeaf = null;
        _hasStaleCounts = false;
        _embedded?.Forget();
        Version++;
    }

    internal TreePage ReadNode(long pageNumber, bool isLeaf)
    {
        var page = new TreePage(Transaction.ReadPage(pageNumber));
        Invariant.Require(page.Header->Kind == (isLeaf ? PageKind.TreeLeaf : PageKind.TreeBranch));
        return page;
    }

    /// <summary>False for a damaged page, unless every transaction needs it.</summary>
    internal bool TryReadNode(long pageNumber, bool isLeaf, out TreePage page)
    {
        try
        {
            page = ReadNode(pageNumber, isLeaf);
            return true;
        }
        catch (CorruptedDataException damage) when (!damage.IsShared)
        {
            page = default;
            return false;
        }
    }

    internal ReadOnlySpan<byte> ReadValue(TreePage leaf, int index)
    {
        byte* stored = leaf.ValuePointer(index);
        return leaf.IsOverflow(index) ? ReadOverflow(stored) : new ReadOnlySpan<byte>(stored, leaf.ValueLength(index));
    }

    private bool FindEntry(ReadOnlySpan<byte> key, out TreePage leaf, out int index)
    {
        int depth = State.Depth;
        if (depth == 0)
        {
            leaf = default;
            index = 0;
            return false;
        }
        long pageNumber = State.RootPage;
        for (int level = 1; level < depth; level++)
        {
            var branch = ReadNode(pageNumber, isLeaf: false);
            pageNumber = branch.Child(branch.FindChild(key));
        }
        leaf = ReadNode(pageNumber, isLeaf: true);
        index = leaf.LowerBound(key, 0, out bool exact);
        return exact;
    }

    private static void RequireKey(ReadOnlySpan<byte> key)
    {
        if ((uint)(key.Length - 1) >= MaxKeyBytes)
            ThrowKey(key);
    }

    private static void ThrowKey(ReadOnlySpan<byte> key)
    {
        if (key.IsEmpty)
            throw new ArgumentException("A key has at least one byte.", nameof(key));
        throw new LimitExceededException("The key in bytes", key.Length, MaxKeyBytes, "fixed by the storage format");
    }

    private static void RequireValueLength(int valueBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(valueBytes);
        if (valueBytes > MaxValueBytes)
            throw new LimitExceededException("The value in bytes", valueBytes, MaxValueBytes, "fixed by the storage format");
    }

    private bool PutFromCopies(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Span<byte> keyCopy = stackalloc byte[MaxKeyBytes];
        Span<byte> valueCopy = stackalloc byte[PageLayout.PageSize];
        key.CopyTo(keyCopy);
        if (value.Length > valueCopy.Length)
            return Put(keyCopy[..key.Length], value);
        value.CopyTo(valueCopy);
        return Put(keyCopy[..key.Length], valueCopy[..value.Length]);
    }

    private bool LiesInLeaf(ReadOnlySpan<byte> bytes)
    {
        if (_located.Pointer == null || bytes.IsEmpty)
            return false;
        byte* start = (byte*)Unsafe.AsPointer(ref Unsafe.AsRef(in bytes[0]));
        return start - _located.Pointer is >= 0 and < PageLayout.PageSize;
    }
}
