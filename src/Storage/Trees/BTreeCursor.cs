namespace Jackdaw.Storage.Trees;

/// <summary>
/// Walks a <see cref="BTree"/> in key order, either way. Stands on an entry or nowhere; a move that returns false leaves it nowhere.
/// A cursor whose tree was modified since it was last placed throws <see cref="InvalidOperationException"/>; seek again.
/// </summary>
public sealed unsafe class BTreeCursor : IDisposable
{
    public bool SeekFirst() => throw new NotImplementedException();

    public bool SeekLast() => throw new NotImplementedException();

    /// <summary>To the first entry whose key is not before <paramref name="key"/>; any bytes, also none.</summary>
    public bool Seek(ReadOnlySpan<byte> key) => throw new NotImplementedException();

    public bool MoveNext() => throw new NotImplementedException();

    public bool MovePrevious() => throw new NotImplementedException();

    /// <summary>Valid until the cursor moves or is disposed of.</summary>
    public ReadOnlySpan<byte> Key => throw new NotImplementedException();

    /// <summary>Lies in page memory, as in <see cref="BTree.TryGet"/>.</summary>
    public ReadOnlySpan<byte> Value => throw new NotImplementedException();

    /// <summary>Back to the pool. The object must not be used afterwards.</summary>
    public void Dispose() => throw new NotImplementedException();
}
