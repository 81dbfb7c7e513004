namespace Jackdaw.Storage.Trees;

/// <summary>
/// Walks a <see cref="FixedSizeTree{TValue}"/> in key order, either way. Stands on an entry or nowhere; a move that returns false
/// leaves it nowhere.
/// A cursor whose tree was modified since it was last placed throws <see cref="InvalidOperationException"/>; seek again.
/// </summary>
public sealed unsafe class FixedSizeTreeCursor<TValue>
    where TValue : unmanaged
{
    private FixedSizePosition _position;

    internal FixedSizeTreeCursor(FixedSizeTree tree) => _position = new FixedSizePosition(tree);

    /// <summary>The key of the current entry.</summary>
    public long Key => _position.Key;

    /// <summary>The value of the current entry.</summary>
    public TValue Value => FixedSizeTree<TValue>.Read(_position.Value);

    /// <summary>Moves to the first entry; false when there is none.</summary>
    public bool SeekFirst() => _position.SeekFirst();

    /// <summary>Moves to the last entry; false when there is none.</summary>
    public bool SeekLast() => _position.SeekLast();

    /// <summary>To the first entry whose key is not below <paramref name="key"/>.</summary>
    public bool Seek(long key) => _position.Seek(key);

    /// <summary>Moves to the next entry; false at the end.</summary>
    public bool MoveNext() => _position.MoveNext();

    /// <summary>Moves to the entry before; false at the beginning.</summary>
    public bool MovePrevious() => _position.MovePrevious();
}
