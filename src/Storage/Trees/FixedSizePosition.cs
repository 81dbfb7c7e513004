namespace Jackdaw.Storage.Trees;

/// <summary>
/// A place in a <see cref="FixedSizeTree"/>, on an entry or nowhere; what cursors are made of. A mutable struct: keep it in a field.
/// </summary>
internal unsafe struct FixedSizePosition(FixedSizeTree tree)
{
    private readonly FixedSizeTree _tree = tree;
    private FixedSizePath _path;
    private FixedSizeNode _leaf;
    private int _index;
    private int _version;
    private bool _placed;

    public readonly long Key
    {
        get
        {
            RequirePlaced();
            return _leaf.Keys[_index];
        }
    }

    /// <summary>The value's bytes in page memory.</summary>
    public readonly byte* Value
    {
        get
        {
            RequirePlaced();
            return _leaf.Value(_index);
        }
    }

    public bool SeekFirst() => Seek(long.MinValue);

    public bool SeekLast()
    {
        if (!Enter(long.MaxValue))
            return false;
        _index = Math.Min(_index, _leaf.Count - 1);
        return _placed = true;
    }

    /// <summary>To the first entry whose key is not below <paramref name="key"/>.</summary>
    public bool Seek(long key)
    {
        if (!Enter(key))
            return false;
        return _placed = _index < _leaf.Count || TurnPage(1);
    }

    public bool MoveNext()
    {
        RequirePlaced();
        return _placed = ++_index < _leaf.Count || TurnPage(1);
    }

    public bool MovePrevious()
    {
        RequirePlaced();
        return _placed = --_index >= 0 || TurnPage(-1);
    }

    private bool Enter(long key)
    {
        _placed = false;
        _version = _tree.Version;
        if (_tree.EntryCount == 0)
            return false;
        _leaf = _tree.Descend(key, ref _path);
        _index = _path[_path.Depth - 1].Index;
        return true;
    }

    /// <summary>To the next leaf's first entry (step 1) or the previous leaf's last one (step -1).</summary>
    private bool TurnPage(int step)
    {
        int level = _path.Depth - 2;
        while (level >= 0 && !HasNeighbour(ref _path[level], step))
            level--;
        if (level < 0)
            return false;
        _path[level].Index += step;
        for (; level < _path.Depth - 1; level++)
        {
            long child = _tree.ReadBranch(_path[level].Page).Child(_path[level].Index);
            int count = _tree.ReadNode(child, level + 1).Count;
            _path[level + 1] = new FixedSizePath.Level
            {
                Page = child,
                Index = step > 0 ? 0 : count - 1,
                Count = count,
            };
        }
        _leaf = _tree.ReadLeaf(_path[level].Page);
        Invariant.Require(_leaf.Count > 0);
        _index = _path[level].Index;
        return true;
    }

    private static bool HasNeighbour(ref FixedSizePath.Level level, int step) => (uint)(level.Index + step) < (uint)level.Count;

    private readonly void RequirePlaced()
    {
        Invariant.Require(_placed);
        if (_version != _tree.Version)
            throw new InvalidOperationException($"'{_tree.Name}' was modified while a cursor stood in it; seek again.");
    }
}
