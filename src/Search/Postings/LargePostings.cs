using Jackdaw.Storage;

namespace Jackdaw.Search.Postings;

/// <summary>Changes a large set: its blocks, and beside them its position blocks.</summary>
internal sealed class LargePostings
{
    private readonly PostingBuffer _old = new();
    private readonly PostingBuffer _new = new();
    private readonly byte[] _block = new byte[TermBlock.MaxBytes];

    /// <summary>Keys of blocks that were left with few ids.</summary>
    private readonly List<long> _sparse = [];
    private BlockTree _blocks;
    private BlockTree? _positions;

    /// <summary>Key of the block that is being changed.</summary>
    private long _key;

    /// <summary>Key of the block behind it.</summary>
    private long _nextKey;

    private bool _hasOld;

    /// <summary>Sets the blocks to work on.</summary>
    public void Open(BlockTree blocks, BlockTree? positions)
    {
        _blocks = blocks;
        _positions = positions;
    }

    /// <summary>Writes the first block of an empty set.</summary>
    public void Begin(PostingBuffer postings)
    {
        Invariant.Require(postings.Count > 0);
        WriteBlock(0, postings);
    }

    /// <summary>Applies changes in ascending order of entries; returns by how much the number of postings grows.</summary>
    public long Apply(ReadOnlySpan<PostingChange> changes, ReadOnlySpan<uint> positions)
    {
        _sparse.Clear();
        long grows = 0;
        while (!changes.IsEmpty)
        {
            LoadBlockOf(changes[0].Entry);
            int count = CountBefore(changes, _nextKey);
            grows += ApplyToBlock(changes[..count], positions);
            changes = changes[count..];
        }
        foreach (long key in _sparse)
            JoinNeighbours(key);
        return grows;
    }

    /// <summary>Reads the whole of a set that is no larger than a block.</summary>
    public void ReadAll(PostingBuffer target)
    {
        target.Clear();
        using var cursor = _blocks.OpenCursor();
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
            target.Append(new TermBlock(cursor.Value), PositionsAt(cursor.Key), _positions is not null);
    }

    /// <summary>Removes all blocks.</summary>
    public void RemoveAll()
    {
        while (_blocks.OpenCursor() is var cursor)
        {
            bool any = cursor.SeekFirst();
            long key = any ? cursor.Key : 0;
            cursor.Dispose();
            if (!any)
                return;
            _blocks.Delete(key);
            _positions?.Delete(key);
        }
    }

    private static int CountBefore(ReadOnlySpan<PostingChange> changes, long key)
    {
        if (changes[^1].Entry < key)
            return changes.Length;
        int low = 0;
        int high = changes.Length - 1;
        while (low < high)
        {
            int middle = (low + high) >> 1;
            if (changes[middle].Entry < key)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    private void LoadBlockOf(long entry)
    {
        using var cursor = _blocks.OpenCursor();
        bool hasNext = cursor.Seek(entry + 1);
        _nextKey = hasNext ? cursor.Key : long.MaxValue;
        _hasOld = hasNext ? cursor.MovePrevious() : cursor.SeekLast();
        _key = 0;
        _old.Clear();
        if (!_hasOld)
        {
            Invariant.Require(!hasNext, "the first block of a set has not the key 0");
            return;
        }
        _key = cursor.Key;
        _old.Load(new TermBlock(cursor.Value), PositionsAt(cursor.Key), _positions is not null);
    }

    private long ApplyToBlock(ReadOnlySpan<PostingChange> changes, ReadOnlySpan<uint> positions)
    {
        long total = CountAfter(changes);
        if (total == 0)
        {
            int removed = _old.Count;
            RemoveBlock(_key);
            return -removed;
        }
        bool isAppended = _nextKey == long.MaxValue && (_old.Count == 0 || changes[0].Entry > _old.Ids[^1]);
        long blocks = (total + TermBlock.MaxIds - 1) / TermBlock.MaxIds;
        int atMost = isAppended ? TermBlock.MaxIds : (int)((total + blocks - 1) / blocks);
        _new.Clear();
        int old = 0;
        foreach (ref readonly var change in changes)
        {
            for (; old < _old.Count && _old.Ids[old] < change.Entry; old++)
                Keep(old, atMost);
            bool replaces = old < _old.Count && _old.Ids[old] == change.Entry;
            Invariant.Require(replaces || !change.IsRemoval, "the posting to remove is not there");
            old += replaces ? 1 : 0;
            if (change.IsRemoval)
                continue;
            MakeRoom(atMost);
            int count = _positions is null ? 0 : checked((int)change.Frequency);
            _new.Add(change.Entry, change.Frequency, positions.Slice(count == 0 ? 0 : change.PositionsAt, count));
            _new.NoteLength(change.Length);
        }
        for (; old < _old.Count; old++)
            Keep(old, atMost);
        FlushNew();
        return total - _old.Count;
    }

    private long CountAfter(ReadOnlySpan<PostingChange> changes)
    {
        long total = _old.Count;
        var ids = _old.Ids;
        long before = 0;
        int old = 0;
        foreach (ref readonly var change in changes)
        {
            Invariant.Require(change.Entry > before, "changes are in ascending order of entries");
            before = change.Entry;
            while (old < ids.Length && ids[old] < change.Entry)
                old++;
            bool exists = old < ids.Length && ids[old] == change.Entry;
            if (change.IsRemoval)
                total--;
            else if (!exists)
                total++;
        }
        return total;
    }

    private void Keep(int old, int atMost)
    {
        MakeRoom(atMost);
        _new.Add(_old.Ids[old], _old.Frequencies[old], _old.PositionsOf(old));
        _new.NoteLength(_old.ShortestLength);
    }

    private void MakeRoom(int atMost)
    {
        if (_new.Count < atMost)
            return;
        FlushNew();
        _new.Clear();
    }

    /// <summary>The first block written takes the place of the old one, the others their own.</summary>
    private void FlushNew()
    {
        long key = _key >= 0 ? _key : _new.Ids[0];
        WriteBlock(key, _new);
        if (_new.Count < TermBlock.JoinBelowIds)
            _sparse.Add(key);
        _key = -1;
    }

    private void WriteBlock(long key, PostingBuffer postings)
    {
        int size = TermBlock.Write(postings.Ids, postings.Frequencies, postings.ShortestLength, _block);
        _blocks.Put(key, _block.AsSpan(0, size));
        _positions?.Put(key, postings.Positions);
    }

    private void RemoveBlock(long key)
    {
        bool existed = _blocks.Delete(key);
        Invariant.Require(existed);
        _positions?.Delete(key);
        if (key != 0 || !LoadNext(0, out long next, _old))
            return;
        // Every id belongs to some block, also those before all that are there.
        RemoveBlock(next);
        WriteBlock(0, _old);
    }

    private void JoinNeighbours(long key)
    {
        if (!_blocks.TryGet(key, out var value) || new TermBlock(value).Count >= TermBlock.JoinBelowIds)
            return;
        _old.Load(new TermBlock(value), PositionsAt(key), _positions is not null);
        while (LoadNext(key, out long next, _new) && _old.Count + _new.Count < TermBlock.JoinBelowIds)
            Join(key, _old, next, _new);
        if (!LoadPrevious(key, out long previous, _new) || _old.Count + _new.Count >= TermBlock.JoinBelowIds)
            return;
        Join(previous, _new, key, _old);
    }

    private void Join(long firstKey, PostingBuffer first, long secondKey, PostingBuffer second)
    {
        for (int i = 0; i < second.Count; i++)
            first.Add(second.Ids[i], second.Frequencies[i], second.PositionsOf(i));
        first.NoteLength(second.ShortestLength);
        RemoveBlock(secondKey);
        WriteBlock(firstKey, first);
    }

    private bool LoadNext(long key, out long next, PostingBuffer target)
    {
        using var cursor = _blocks.OpenCursor();
        next = 0;
        if (!cursor.Seek(key + 1))
            return false;
        next = cursor.Key;
        target.Load(new TermBlock(cursor.Value), PositionsAt(cursor.Key), _positions is not null);
        return true;
    }

    private bool LoadPrevious(long key, out long previous, PostingBuffer target)
    {
        using var cursor = _blocks.OpenCursor();
        previous = 0;
        if (!cursor.SeekBefore(key))
            return false;
        previous = cursor.Key;
        target.Load(new TermBlock(cursor.Value), PositionsAt(cursor.Key), _positions is not null);
        return true;
    }

    private ReadOnlySpan<byte> PositionsAt(long key)
    {
        if (_positions is not { } positions)
            return default;
        bool found = positions.TryGet(key, out var value);
        Invariant.Require(found, "a block has no position block");
        return value;
    }
}
