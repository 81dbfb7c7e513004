using Jackdaw.Storage;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Postings;

/// <summary>Reads the ids of one term's postings in ascending order, a block at a time. Of one thread and transaction; can be opened again
/// on another term.</summary>
internal sealed class PostingReader : IDisposable
{
    /// <summary>Ids that were decoded and not handed out: those of a small set, or of a block that a seek went into.</summary>
    private long[] _decoded = [];
    private int _decodedAt;
    private int _decodedCount;

    private BlockTree _blocks;

    /// <summary>Stands on the block behind what was decoded; null: the set is small, or there are no more.</summary>
    private BlockCursor? _next;
    private bool _isLarge;

    /// <summary>The number of postings.</summary>
    public long Count { get; private set; }

    /// <summary>Begins with the first posting of a term.</summary>
    /// <param name="dictionary">The tree that has the term.</param>
    /// <param name="value">The term's record. Must stay readable while the cursor is used.</param>
    public void Open(BTree dictionary, ReadOnlySpan<byte> value)
    {
        Close();
        var record = new TermRecord(value);
        Count = record.DocumentFrequency;
        _isLarge = record.Form == PostingForm.Large;
        long room = _isLarge ? TermBlock.MaxIds : Count;
        if (_decoded.Length < room)
            _decoded = new long[room];
        if (_isLarge)
            _blocks = BlockTree.Blocks(dictionary, record.TermNumber);
        else
            _decodedCount = SmallPostings.ReadIds(record, _decoded);
        Rewind();
    }

    /// <summary>Back to the first posting.</summary>
    public void Rewind()
    {
        _decodedAt = 0;
        if (!_isLarge)
            return;
        _decodedCount = 0;
        _next ??= _blocks.OpenCursor();
        if (!_next.Value.SeekFirst())
            EndBlocks();
    }

    /// <summary>Fills in the next ids; returns how many, 0 at the end. A span of <see cref="TermBlock.MaxIds"/> or more is filled by whole
    /// blocks as far as they fit.</summary>
    public int Fill(Span<long> ids)
    {
        int filled = TakeDecoded(ids);
        while (_next is { } next)
        {
            var room = ids[filled..];
            var block = new TermBlock(next.Value);
            if (block.Count <= room.Length)
            {
                filled += block.ReadIds(room);
                MoveNext();
                continue;
            }
            if (filled > 0 || ids.IsEmpty)
                break;
            Decode(block);
            filled = TakeDecoded(ids);
        }
        return filled;
    }

    /// <summary>Passes over all ids before <paramref name="id"/>; never goes back.</summary>
    public void SeekTo(long id)
    {
        if (_decodedAt < _decodedCount)
        {
            _decodedAt += SortedIds.LowerBound(_decoded.AsSpan(_decodedAt, _decodedCount - _decodedAt), id);
            if (_decodedAt < _decodedCount)
                return;
        }
        if (_next is not { } next || next.Key > id)
            return;
        next.AdvanceTo(id);
        Decode(new TermBlock(next.Value));
        _decodedAt = SortedIds.LowerBound(_decoded.AsSpan(0, _decodedCount), id);
    }

    /// <summary>Keeps the ids that the term has at the front; returns how many. Whole blocks are passed over where none of the ids can be
    /// in them.</summary>
    /// <param name="ids">Ascending, and behind those of the call before.</param>
    public int Retain(Span<long> ids)
    {
        int kept = 0;
        for (int read = 0; read < ids.Length; )
        {
            var rest = ids[read..];
            SeekTo(rest[0]);
            if (_decodedAt == _decodedCount && !DecodeNext())
                break;
            var decoded = _decoded.AsSpan(_decodedAt, _decodedCount - _decodedAt);
            int within = decoded[^1] >= rest[^1] ? rest.Length : SortedIds.Gallop(rest, decoded[^1] + 1);
            int found = SortedIds.Intersect(rest[..within], decoded);
            rest[..found].CopyTo(ids[kept..]);
            kept += found;
            read += within;
        }
        return kept;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Close();
        _blocks = default;
    }

    private int TakeDecoded(Span<long> ids)
    {
        int count = Math.Min(ids.Length, _decodedCount - _decodedAt);
        _decoded.AsSpan(_decodedAt, count).CopyTo(ids);
        _decodedAt += count;
        return count;
    }

    private bool DecodeNext()
    {
        if (_next is not { } next)
            return false;
        Decode(new TermBlock(next.Value));
        return true;
    }

    private void Decode(TermBlock block)
    {
        _decodedCount = block.ReadIds(_decoded);
        _decodedAt = 0;
        MoveNext();
    }

    private void MoveNext()
    {
        if (!_next!.Value.MoveNext())
            EndBlocks();
    }

    private void EndBlocks()
    {
        _next?.Dispose();
        _next = null;
    }

    private void Close()
    {
        EndBlocks();
        (_decodedAt, _decodedCount, Count) = (0, 0, 0);
    }
}
