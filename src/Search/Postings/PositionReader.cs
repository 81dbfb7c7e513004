using System.Buffers;
using System.Buffers.Binary;
using System.Numerics;
using Jackdaw.Storage;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Postings;

/// <summary>
/// Reads the positions of one term in entries that have it, in ascending order of both. Blocks without such an entry are not read, and of
/// the others only the positions up to the last one that is asked for. Of one thread and transaction.
/// </summary>
internal sealed class PositionReader : IDisposable
{
    /// <summary>In each byte of a word: set unless the byte is the last one of a number.</summary>
    private const ulong ContinuationBits = 0x8080808080808080;

    /// <summary>The postings of a small set; null: the set is large.</summary>
    private readonly byte[]? _small;
    private readonly int _smallPositionsAt;
    private readonly BlockCursor? _blocks;
    private readonly BlockCursor? _positionBlocks;
    private long[] _ids = ArrayPool<long>.Shared.Rent(TermBlock.MaxIds);
    private uint[] _frequencies = ArrayPool<uint>.Shared.Rent(TermBlock.MaxIds);
    private int _count;

    /// <summary>The posting whose positions are read.</summary>
    private int _at;

    /// <summary>Where the bytes of its positions go on.</summary>
    private int _byteAt;

    /// <summary>How many of its positions are left.</summary>
    private uint _left;

    /// <summary>The one that was read last.</summary>
    private uint _position;
    private bool _hasPosition;

    /// <summary>The cursors stand on a block.</summary>
    private bool _isPlaced;
    private long _lastEntry;

    /// <param name="dictionary">The tree that has the term.</param>
    /// <param name="value">The term's record, of a field that keeps positions.</param>
    public PositionReader(BTree dictionary, ReadOnlySpan<byte> value)
    {
        var record = new TermRecord(value);
        Invariant.Require((record.Options & PostingOptions.Positions) != 0, "the postings have no positions");
        if (record.Form == PostingForm.Large)
        {
            _blocks = BlockTree.Blocks(dictionary, record.TermNumber).OpenCursor();
            _positionBlocks = BlockTree.Positions(dictionary, record.TermNumber).OpenCursor();
            return;
        }
        _small = record.Payload.ToArray();
        _count = SmallPostings.ReadIdsAndFrequencies(record, _ids, _frequencies, out _smallPositionsAt);
        Rewind();
    }

    /// <summary>Blocks of postings that were read.</summary>
    public long BlocksRead { get; private set; }

    private ReadOnlySpan<byte> Positions => _small ?? _positionBlocks!.Value.Value;

    /// <summary>Lets <see cref="MoveTo"/> begin again.</summary>
    public void Rewind()
    {
        _lastEntry = 0;
        _isPlaced = false;
        if (_small is null)
            _count = 0;
        else
            BeginAt(_smallPositionsAt);
    }

    /// <summary>Moves to an entry, which has the term and is behind the one before.</summary>
    public void MoveTo(long entry)
    {
        Invariant.Require(entry > _lastEntry, "entries are in ascending order");
        _lastEntry = entry;
        if (_count == 0 || _ids[_count - 1] < entry)
            LoadBlockOf(entry);
        int index = _at + SortedIds.Gallop(_ids.AsSpan(_at, _count - _at), entry);
        Invariant.Require(index < _count && _ids[index] == entry, "the entry does not have the term");
        if (index == _at)
            return;
        ulong passed = _left;
        for (int i = _at + 1; i < index; i++)
            passed += _frequencies[i];
        SkipNumbers(Positions, ref _byteAt, passed);
        BeginPosting(index);
    }

    /// <summary>Moves to the first position of the entry that is not before this one; false: there is none. Never goes back.</summary>
    public bool SeekPosition(uint target, out uint position)
    {
        position = _position;
        if (_hasPosition && position >= target)
            return true;
        var bytes = Positions;
        do
        {
            if (_left == 0)
                return false;
            _left--;
            position = _position += checked((uint)VarInt.Read(bytes, ref _byteAt));
            _hasPosition = true;
        } while (position < target);
        return true;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _blocks?.Dispose();
        _positionBlocks?.Dispose();
        ArrayPool<long>.Shared.Return(_ids);
        ArrayPool<uint>.Shared.Return(_frequencies);
        (_ids, _frequencies, _count) = ([], [], 0);
    }

    private void LoadBlockOf(long entry)
    {
        Invariant.Require(_small is null, "the entry does not have the term");
        var blocks = _blocks!.Value;
        if (_isPlaced)
            blocks.AdvanceTo(entry);
        else
            _isPlaced = blocks.SeekBefore(entry + 1);
        Invariant.Require(_isPlaced, "a large set has no block");
        var block = new TermBlock(blocks.Value);
        _count = block.ReadIds(_ids);
        block.ReadFrequencies(_frequencies);
        bool found = _positionBlocks!.Value.Seek(blocks.Key) && _positionBlocks.Value.Key == blocks.Key;
        Invariant.Require(found, "a block has no position block");
        BlocksRead++;
        BeginAt(0);
    }

    private void BeginAt(int byteAt)
    {
        _byteAt = byteAt;
        BeginPosting(0);
    }

    private void BeginPosting(int index)
    {
        _at = index;
        _left = _frequencies[index];
        _position = 0;
        _hasPosition = false;
    }

    /// <summary>Passes over so many numbers: eight bytes at a time while more are left than eight bytes can hold.</summary>
    private static void SkipNumbers(ReadOnlySpan<byte> bytes, ref int at, ulong count)
    {
        while (count > sizeof(ulong) && at + sizeof(ulong) <= bytes.Length)
        {
            ulong word = BinaryPrimitives.ReadUInt64LittleEndian(bytes[at..]);
            count -= (ulong)BitOperations.PopCount(~word & ContinuationBits);
            at += sizeof(ulong);
        }
        while (count > 0)
            count -= bytes[at++] < 0x80 ? 1u : 0;
    }
}
