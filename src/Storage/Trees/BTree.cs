using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// A B+tree from keys of 1 to <see cref="MaxKeyBytes"/> bytes, in the order of their bytes, to values of up to <see cref="MaxValueBytes"/>.
/// Obtained from <see cref="PageTransaction.Catalog"/>; lives as long as its transaction and belongs to that transaction's thread.
/// </summary>
public sealed unsafe class BTree : Structure
{
    public const int MaxKeyBytes = 1024;

    public const int MaxValueBytes = 1 << 30;

    internal BTree(PageTransaction transaction, string name) : base(transaction, name) { }

    /// <summary>The value lies in page memory: it stays readable until the transaction ends, or in a writer until its next modification.</summary>
    public bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value) => throw new NotImplementedException();

    public bool Contains(ReadOnlySpan<byte> key) => throw new NotImplementedException();

    /// <summary>Adds the entry or replaces its value. True when the key is new.</summary>
    public bool Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) => throw new NotImplementedException();

    /// <summary>
    /// Adds or replaces the entry and returns the room for its value, undefined bytes that the caller fills before the next modification through
    /// the transaction.
    /// </summary>
    public Span<byte> Reserve(ReadOnlySpan<byte> key, int valueBytes, out bool isNew) => throw new NotImplementedException();

    /// <summary>False when there is no such key.</summary>
    public bool Delete(ReadOnlySpan<byte> key) => throw new NotImplementedException();

    /// <summary>Removes every entry and gives back every page.</summary>
    public void Clear() => throw new NotImplementedException();

    /// <summary>A cursor from the thread's pool; dispose of it to give it back.</summary>
    public BTreeCursor OpenCursor() => throw new NotImplementedException();

    internal override void FreeAllPages() => throw new NotImplementedException();

    internal override void Check(IPageVisitor visitor) => throw new NotImplementedException();

    internal override void OnStateLoaded() { }
}
