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

    public long Key => _position.Key;

    public TValue Value => FixedSizeTree<TValue>.Read(_position.Value);

    public bool SeekFirst() => _position.SeekFirst();

    public bool SeekLast() => _position.SeekLast();

    /// <summary>To the first entry whose key is not below <paramref name="key"/>.</summary>
    public bool Seek(long key) => _position.Seek(key);

    public bool MoveNext() => _position.MoveNext();

    public bool MovePrevious() => _position.MovePrevious();
}
