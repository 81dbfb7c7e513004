namespace Jackdaw.Storage.Trees;

/// <summary>
/// Walks a <see cref="BTree"/> in key order, either way. Stands on an entry or nowhere; a move that returns false leaves it nowhere.
/// A cursor whose tree was modified since it was last placed throws <see cref="InvalidOperationException"/>; seek again.
/// </summary>
public sealed unsafe class BTreeCursor : IDisposable
{
    private const int PooledPerThread = 8;

    [ThreadStatic]
    private static Stack<BTreeCursor>? _pool;

    private readonly byte[] _key = new byte[BTree.MaxKeyBytes];
    private TreePath _path;
    private BTree? _tree;
    private TreePage _leaf;
    private int _index;
    private int _lastLevel;
    private int _version;
    private bool _isPlaced;

    private BTreeCursor() { }

    /// <summary>Valid until the cursor moves or is disposed of.</summary>
    public ReadOnlySpan<byte> Key
    {
        get
        {
            RequireEntry();
            return _key.AsSpan(0, _leaf.CopyKey(_index, _key));
        }
    }

    /// <summary>Lies in page memory, as in <see cref="BTree.TryGet"/>.</summary>
    public ReadOnlySpan<byte> Value
    {
        get
        {
            RequireEntry();
            return _tree!.ReadValue(_leaf, _index);
        }
    }

    /// <summary>Moves to the first entry; false when there is none.</summary>
    public bool SeekFirst()
    {
        if (!Begin(out var tree))
            return false;
        DescendToEdge(tree, 0, tree.State.RootPage, toLast: false);
        return PlaceIfAny();
    }

    /// <summary>Moves to the last entry; false when there is none.</summary>
    public bool SeekLast()
    {
        if (!Begin(out var tree))
            return false;
        DescendToEdge(tree, 0, tree.State.RootPage, toLast: true);
        return PlaceIfAny();
    }

    /// <summary>To the first entry whose key is not before <paramref name="key"/>; any bytes, also none.</summary>
    public bool Seek(ReadOnlySpan<byte> key)
    {
        if (!Begin(out var tree))
            return false;
        long pageNumber = tree.State.RootPage;
        for (int level = 0; level < _lastLevel; level++)
        {
            var branch = tree.ReadNode(pageNumber, isLeaf: false);
            int child = branch.FindChild(key);
            _path[level].Pointer = branch.Pointer;
            _path[level].Index = child;
            pageNumber = branch.Child(child);
        }
        _leaf = tree.ReadNode(pageNumber, isLeaf: true);
        _index = _leaf.LowerBound(key, 0, out _);
        _isPlaced = _index < _leaf.Count || StepToNeighbour(tree, forward: true);
        return _isPlaced;
    }

    /// <summary>
    /// As <see cref="Seek"/>, of the entries that can be read: damaged pages and what lies below them are passed over. False where no such
    /// entry is left.
    /// </summary>
    public bool SeekBeyondDamage(ReadOnlySpan<byte> key)
    {
        if (!Begin(out var tree))
            return false;
        long pageNumber = tree.State.RootPage;
        int level = 0;
        bool isOnPath = true;
        while (true)
        {
            if (!tree.TryReadNode(pageNumber, isLeaf: level == _lastLevel, out var node))
                isOnPath = false;
            else if (level < _lastLevel)
            {
                _path[level].Pointer = node.Pointer;
                _path[level].Index = isOnPath ? node.FindChild(key) : 0;
                pageNumber = node.Child(_path[level].Index);
                level++;
                continue;
            }
            else
            {
                _leaf = node;
                _index = isOnPath ? node.LowerBound(key, 0, out _) : 0;
                if (_index < node.Count)
                    return _isPlaced = true;
            }
            // On to the next subtree on the right: all of it is after the key.
            isOnPath = false;
            do
            {
                if (--level < 0)
                    return false;
                _path[level].Index++;
            } while (_path[level].Index >= new TreePage(_path[level].Pointer).Count);
            pageNumber = new TreePage(_path[level].Pointer).Child(_path[level].Index);
            level++;
        }
    }

    /// <summary>To the last entry whose key is before <paramref name="key"/>; any bytes, also none.</summary>
    public bool SeekBefore(ReadOnlySpan<byte> key) => Seek(key) ? MovePrevious() : SeekLast();

    /// <summary>To the entry before which there are so many others; false where there is none. Reads one page a level. Only for trees that
    /// keep counts (<see cref="BTree.KeepsCounts"/>).</summary>
    public bool SeekRank(long rank)
    {
        RequireTree().RequireCounts();
        if (!Begin(out var tree) || rank < 0 || rank >= tree.EntryCount)
            return false;
        long pageNumber = tree.State.RootPage;
        for (int level = 0; level < _lastLevel; level++)
        {
            var branch = tree.ReadNode(pageNumber, isLeaf: false);
            int child = 0;
            for (; rank >= *branch.CountBelow(child); child++)
            {
                rank -= *branch.CountBelow(child);
                Invariant.Require(child + 1 < branch.Count);
            }
            _path[level].Pointer = branch.Pointer;
            _path[level].Index = child;
            pageNumber = branch.Child(child);
        }
        _leaf = tree.ReadNode(pageNumber, isLeaf: true);
        _index = (int)rank;
        Invariant.Require(_index < _leaf.Count);
        return _isPlaced = true;
    }

    /// <summary>Moves to the next entry; false at the end.</summary>
    public bool MoveNext()
    {
        var tree = RequireEntry();
        if (++_index < _leaf.Count)
            return true;
        return _isPlaced = StepToNeighbour(tree, forward: true);
    }

    /// <summary>Moves to the entry before; false at the beginning.</summary>
    public bool MovePrevious()
    {
        var tree = RequireEntry();
        if (--_index >= 0)
            return true;
        return _isPlaced = StepToNeighbour(tree, forward: false);
    }

    /// <summary>Back to the pool. The object must not be used afterwards.</summary>
    public void Dispose()
    {
        if (_tree is null)
            return;
        _tree = null;
        _isPlaced = false;
        var pool = _pool ??= new Stack<BTreeCursor>(PooledPerThread);
        if (pool.Count < PooledPerThread)
            pool.Push(this);
    }

    internal static BTreeCursor Rent(BTree tree)
    {
        var pool = _pool;
        var cursor = pool is { Count: > 0 } ? pool.Pop() : new BTreeCursor();
        cursor._tree = tree;
        return cursor;
    }

    /// <summary>False when the tree has no pages.</summary>
    private bool Begin(out BTree tree)
    {
        tree = RequireTree();
        _isPlaced = false;
        _version = tree.Version;
        _lastLevel = tree.State.Depth - 1;
        return _lastLevel >= 0;
    }

    private void DescendToEdge(BTree tree, int level, long pageNumber, bool toLast)
    {
        for (; level < _lastLevel; level++)
        {
            var branch = tree.ReadNode(pageNumber, isLeaf: false);
            int child = toLast ? branch.Count - 1 : 0;
            _path[level].Pointer = branch.Pointer;
            _path[level].Index = child;
            pageNumber = branch.Child(child);
        }
        _leaf = tree.ReadNode(pageNumber, isLeaf: true);
        _index = toLast ? _leaf.Count - 1 : 0;
    }

    /// <summary>To the nearest entry of the next leaf on that side. Leaves under a branch are never empty.</summary>
    private bool StepToNeighbour(BTree tree, bool forward)
    {
        for (int level = _lastLevel - 1; level >= 0; level--)
        {
            var branch = new TreePage(_path[level].Pointer);
            int next = _path[level].Index + (forward ? 1 : -1);
            if ((uint)next >= (uint)branch.Count)
                continue;
            _path[level].Index = next;
            DescendToEdge(tree, level + 1, branch.Child(next), toLast: !forward);
            return PlaceIfAny();
        }
        return false;
    }

    private bool PlaceIfAny() => _isPlaced = _leaf.Count > 0;

    private BTree RequireTree() => _tree ?? throw new ObjectDisposedException(nameof(BTreeCursor));

    private BTree RequireEntry()
    {
        var tree = RequireTree();
        if (_version != tree.Version)
            throw new InvalidOperationException($"The tree '{tree.Name}' was modified after the cursor was placed; seek again.");
        if (!_isPlaced)
            throw new InvalidOperationException("The cursor is on no entry.");
        return tree;
    }
}
