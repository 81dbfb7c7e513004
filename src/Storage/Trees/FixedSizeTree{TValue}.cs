using System.Runtime.CompilerServices;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// A sorted map from 64-bit keys (signed order) to values of a fixed size; with <see cref="Nothing"/> a set of keys. Obtained from
/// <see cref="Catalog.OpenFixedTree{TValue}"/>; lives as long as its transaction and belongs to that transaction's thread.
/// </summary>
/// <typeparam name="TValue">Stored as its bytes lie in memory: at most 1,024, without references; its layout must never change.</typeparam>
public readonly unsafe struct FixedSizeTree<TValue>
    where TValue : unmanaged
{
    private readonly FixedSizeTree _tree;

    internal FixedSizeTree(FixedSizeTree tree) => _tree = tree.WithValueSize(ValueSize);

    /// <summary>The name in the catalog.</summary>
    public string Name => _tree.Name;

    /// <summary>Number of entries.</summary>
    public long EntryCount => _tree.EntryCount;

    /// <summary>Pages that the tree owns now.</summary>
    public long PageCount => _tree.PageCount;

    internal static int ValueSize => typeof(TValue) == typeof(Nothing) ? 0 : sizeof(TValue);

    /// <summary>Finds the value of a key.</summary>
    public bool TryGet(long key, out TValue value)
    {
        byte* found = _tree.Find(key);
        value = found == null ? default : Read(found);
        return found != null;
    }

    /// <summary>True when the key exists.</summary>
    public bool Contains(long key) => _tree.Find(key) != null;

    /// <summary>Adds the entry or replaces its value. True when the key is new.</summary>
    public bool Put(long key, in TValue value)
    {
        byte* slot = _tree.Put(key, out bool isNew);
        if (typeof(TValue) != typeof(Nothing))
            Unsafe.WriteUnaligned(slot, value);
        return isNew;
    }

    /// <summary>False when there is no such key.</summary>
    public bool Delete(long key) => _tree.Delete(key);

    /// <summary>Removes every entry and gives back every page.</summary>
    public void Clear() => _tree.FreeAllPages();

    /// <summary>Opens a cursor that stands on no entry yet.</summary>
    public FixedSizeTreeCursor<TValue> OpenCursor() => new(_tree);

    internal static TValue Read(byte* value) => typeof(TValue) == typeof(Nothing) ? default : Unsafe.ReadUnaligned<TValue>(value);
}
