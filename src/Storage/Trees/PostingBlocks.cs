namespace Jackdaw.Storage.Trees;

/// <summary>
/// Packed blocks in ascending order on their way into pages: taken over as they are, or packed anew from numbers. Runs of small blocks that
/// numbers came between grow together again.
/// </summary>
internal sealed class PostingBlocks
{
    private const int PendingRoom = 8 * PostingBlock.MaxNumbers;
    private const int SmallBlock = PostingBlock.MaxNumbers / 4;

    [ThreadStatic]
    private static PostingBlocks? _ofThread;

    private readonly List<PostingBlock> _blocks = [];
    private readonly List<int> _starts = [];
    private readonly long[] _pending = new long[PendingRoom];
    private byte[] _packed = new byte[2 * PostingPage.Capacity];
    private int _pendingCount;
    private int _packedBytes;

    /// <summary>For one change of one set: sets are many, and each change leaves the blocks empty of use.</summary>
    public static PostingBlocks OfThread => _ofThread ??= new PostingBlocks();

    public int Count => _blocks.Count;

    /// <summary>Bytes that all blocks take in pages.</summary>
    public int TotalBytes => _packedBytes + _blocks.Count * PostingBlock.Size;

    public PostingBlock this[int index] => _blocks[index];

    public ReadOnlySpan<byte> Packed(int index) => _packed.AsSpan(_starts[index], _blocks[index].PackedBytes);

    public void Clear()
    {
        _blocks.Clear();
        _starts.Clear();
        _pendingCount = 0;
        _packedBytes = 0;
    }

    /// <summary>Adds a number behind all that were added.</summary>
    public void Add(long number)
    {
        if (_pendingCount == PendingRoom)
            PackFullBlocks();
        _pending[_pendingCount++] = number;
    }

    /// <summary>Adds a whole block of a page, as it is unless numbers that wait should grow together with it.</summary>
    public void Add(PostingPage page, int index)
    {
        PostingBlock block = page.Block(index);
        bool join = _pendingCount > 0 && (_pendingCount < SmallBlock || _pendingCount + block.Count <= PostingBlock.MaxNumbers);
        if (join)
        {
            Span<long> numbers = stackalloc long[PostingBlock.MaxNumbers];
            int count = page.Unpack(index, numbers);
            foreach (long number in numbers[..count])
                Add(number);
            return;
        }
        Complete(even: true);
        Append(block, page.Packed(index));
    }

    public void AddAll(PostingPage page)
    {
        for (int i = 0; i < page.Count; i++)
            Add(page, i);
    }

    /// <summary>Packs what waits; evenly, so that blocks in the middle of a set keep room, or in full blocks.</summary>
    public void Complete(bool even)
    {
        if (!even)
            PackFullBlocks();
        int blocks = (_pendingCount + PostingBlock.MaxNumbers - 1) / PostingBlock.MaxNumbers;
        int from = 0;
        for (int i = 0; i < blocks; i++)
        {
            int count = (_pendingCount - from) / (blocks - i);
            PackBlock(_pending.AsSpan(from, count));
            from += count;
        }
        _pendingCount = 0;
    }

    private void PackFullBlocks()
    {
        int from = 0;
        for (; _pendingCount - from >= PostingBlock.MaxNumbers; from += PostingBlock.MaxNumbers)
            PackBlock(_pending.AsSpan(from, PostingBlock.MaxNumbers));
        _pending.AsSpan(from, _pendingCount - from).CopyTo(_pending);
        _pendingCount -= from;
    }

    private void PackBlock(ReadOnlySpan<long> numbers)
    {
        Span<byte> packed = stackalloc byte[PostingBlock.BufferBytes];
        PostingBlock block = PostingBlock.Pack(numbers, packed);
        Append(block, packed[..block.PackedBytes]);
    }

    private void Append(PostingBlock block, ReadOnlySpan<byte> packed)
    {
        if (_packedBytes + packed.Length > _packed.Length)
            Array.Resize(ref _packed, _packed.Length * 2);
        packed.CopyTo(_packed.AsSpan(_packedBytes));
        _starts.Add(_packedBytes);
        _blocks.Add(block);
        _packedBytes += packed.Length;
    }
}
