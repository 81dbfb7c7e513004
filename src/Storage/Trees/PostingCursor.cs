namespace Jackdaw.Storage.Trees;

/// <summary>
/// Walks a <see cref="PostingSet"/> forward. Stands on a number or nowhere; a move that returns false leaves it nowhere.
/// A cursor whose set was modified since it was last placed throws <see cref="InvalidOperationException"/>; seek again.
/// </summary>
public sealed unsafe class PostingCursor
{
    private readonly PostingSet _set;
    private readonly long[] _numbers = new long[PostingBlock.MaxNumbers];
    private FixedSizePosition _page;
    private PostingPage _postings;
    private int _block;
    private int _count;
    private int _index;
    private int _version;
    private bool _placed;

    internal PostingCursor(PostingSet set)
    {
        _set = set;
        _page = new FixedSizePosition(set.Index);
    }

    /// <summary>The current number.</summary>
    public long Current
    {
        get
        {
            RequirePlaced();
            return _numbers[_index];
        }
    }

    /// <summary>Moves to the first entry; false when there is none.</summary>
    public bool SeekFirst() => Seek(long.MinValue);

    /// <summary>To the first number not below <paramref name="number"/>.</summary>
    public bool Seek(long number)
    {
        _placed = false;
        _version = _set.Version;
        if (_set.EntryCount == 0)
            return false;
        if (!_page.Seek(number))
            _page.SeekLast();
        else if (_page.Key != number)
            _page.MovePrevious();
        _postings = _set.ReadPostings(*(long*)_page.Value);
        OpenBlock(_postings.BlockOf(number));
        int at = _numbers.AsSpan(0, _count).BinarySearch(number);
        _index = at < 0 ? ~at : at;
        return _placed = _index < _count || NextBlock();
    }

    /// <summary>Moves to the next entry; false at the end.</summary>
    public bool MoveNext()
    {
        RequirePlaced();
        return _placed = ++_index < _count || NextBlock();
    }

    /// <summary>Copies numbers from the current one on and moves behind them; returns how many: 0 when it stood nowhere.</summary>
    public int Read(Span<long> destination)
    {
        int read = 0;
        while (_placed && read < destination.Length)
        {
            RequirePlaced();
            int taken = Math.Min(_count - _index, destination.Length - read);
            _numbers.AsSpan(_index, taken).CopyTo(destination[read..]);
            read += taken;
            _index += taken;
            _placed = _index < _count || NextBlock();
        }
        return read;
    }

    private bool NextBlock()
    {
        if (_block + 1 < _postings.Count)
        {
            OpenBlock(_block + 1);
            return true;
        }
        if (!_page.MoveNext())
            return false;
        _postings = _set.ReadPostings(*(long*)_page.Value);
        OpenBlock(0);
        return true;
    }

    private void OpenBlock(int block)
    {
        _block = block;
        _count = _postings.Unpack(block, _numbers);
        _index = 0;
    }

    private void RequirePlaced()
    {
        Invariant.Require(_placed);
        if (_version != _set.Version)
            throw new InvalidOperationException($"'{_set.Name}' was modified while a cursor stood in it; seek again.");
    }
}
