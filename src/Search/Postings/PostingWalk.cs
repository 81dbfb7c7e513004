using Jackdaw.Storage;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Postings;

/// <summary>Reads everything of one term's postings, a block at a time: frequencies and positions too.</summary>
internal sealed class PostingWalk : IDisposable
{
    private readonly BlockTree? _positions;
    private readonly BlockCursor? _blocks;
    private readonly PostingBuffer? _small;
    private bool _hasNext;

    /// <param name="dictionary">The tree that has the term.</param>
    /// <param name="value">The term's record.</param>
    public PostingWalk(BTree dictionary, ReadOnlySpan<byte> value)
    {
        var record = new TermRecord(value);
        _hasNext = true;
        if (record.Form != PostingForm.Large)
        {
            SmallPostings.Read(record, _small = new PostingBuffer());
            return;
        }
        if ((record.Options & PostingOptions.Positions) != 0)
            _positions = BlockTree.Positions(dictionary, record.TermNumber);
        _blocks = BlockTree.Blocks(dictionary, record.TermNumber).OpenCursor();
        _hasNext = _blocks.Value.SeekFirst();
    }

    /// <summary>Returns the next postings, to be read before the next call; null at the end.</summary>
    public PostingBuffer? Next(PostingBuffer room)
    {
        if (!_hasNext)
            return null;
        if (_blocks is not { } blocks)
        {
            _hasNext = false;
            return _small;
        }
        ReadOnlySpan<byte> positions = default;
        bool found = _positions is null || _positions.Value.TryGet(blocks.Key, out positions);
        Invariant.Require(found, "a block has no position block");
        room.Load(new TermBlock(blocks.Value), positions, _positions is not null);
        _hasNext = blocks.MoveNext();
        return room;
    }

    /// <inheritdoc/>
    public void Dispose() => _blocks?.Dispose();
}
