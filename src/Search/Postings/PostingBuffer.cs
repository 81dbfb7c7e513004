using Jackdaw.Storage;

namespace Jackdaw.Search.Postings;

/// <summary>Up to a block's postings out of their form, to be changed: ids, frequencies, and the positions as their bytes.</summary>
internal sealed class PostingBuffer
{
    private readonly long[] _ids = new long[TermBlock.MaxIds];
    private readonly uint[] _frequencies = new uint[TermBlock.MaxIds];

    /// <summary>Where the bytes of each posting's positions end.</summary>
    private readonly int[] _positionEnds = new int[TermBlock.MaxIds];
    private byte[] _positions = [];

    public int Count { get; private set; }

    /// <summary>No posting's field is shorter; 0: not known.</summary>
    public uint ShortestLength { get; private set; }

    public ReadOnlySpan<long> Ids => _ids.AsSpan(0, Count);

    public ReadOnlySpan<uint> Frequencies => _frequencies.AsSpan(0, Count);

    public ReadOnlySpan<byte> Positions => _positions.AsSpan(0, PositionBytes);

    public int PositionBytes => Count == 0 ? 0 : _positionEnds[Count - 1];

    public void Clear()
    {
        Count = 0;
        ShortestLength = uint.MaxValue;
    }

    /// <summary>The bytes of a posting's positions.</summary>
    public ReadOnlySpan<byte> PositionsOf(int index)
    {
        int from = index == 0 ? 0 : _positionEnds[index - 1];
        return _positions.AsSpan(from, _positionEnds[index] - from);
    }

    /// <summary>Lowers <see cref="ShortestLength"/>; a length of 0 is not known.</summary>
    public void NoteLength(uint length) => ShortestLength = Math.Min(ShortestLength, length);

    /// <summary>Adds a posting behind the others, its positions already as bytes.</summary>
    public void Add(long id, uint frequency, ReadOnlySpan<byte> positions)
    {
        positions.CopyTo(Begin(id, frequency, positions.Length));
        End(positions.Length);
    }

    /// <summary>Adds a posting behind the others.</summary>
    public void Add(long id, uint frequency, ReadOnlySpan<uint> positions)
    {
        var room = Begin(id, frequency, positions.Length * 5);
        int at = 0;
        uint before = 0;
        foreach (uint position in positions)
        {
            Invariant.Require(position >= before, "positions are in ascending order");
            VarInt.Write(room, ref at, position - before);
            before = position;
        }
        End(at);
    }

    /// <summary>Adds a posting whose positions begin at <paramref name="at"/> of the source, as many as its frequency says.</summary>
    public void AddFrom(long id, uint frequency, ReadOnlySpan<byte> source, ref int at, bool hasPositions)
    {
        int from = at;
        for (uint i = 0; hasPositions && i < frequency; i++)
            VarInt.Read(source, ref at);
        Add(id, frequency, source[from..at]);
    }

    /// <summary>Fills the buffer with a block.</summary>
    public void Load(TermBlock block, ReadOnlySpan<byte> positions, bool hasPositions)
    {
        Clear();
        Append(block, positions, hasPositions);
    }

    /// <summary>Adds a block's postings behind the others.</summary>
    public void Append(TermBlock block, ReadOnlySpan<byte> positions, bool hasPositions)
    {
        Span<long> ids = stackalloc long[TermBlock.MaxIds];
        Span<uint> frequencies = stackalloc uint[TermBlock.MaxIds];
        int count = block.ReadIds(ids);
        block.ReadFrequencies(frequencies);
        int at = 0;
        for (int i = 0; i < count; i++)
            AddFrom(ids[i], frequencies[i], positions, ref at, hasPositions);
        Invariant.Require(at == positions.Length, "a position block does not match its block");
        NoteLength(block.ShortestLength);
    }

    private Span<byte> Begin(long id, uint frequency, int atMostBytes)
    {
        Invariant.Require(Count < TermBlock.MaxIds && frequency > 0 && id > (Count == 0 ? 0 : _ids[Count - 1]));
        int from = PositionBytes;
        if (_positions.Length - from < atMostBytes)
            Array.Resize(ref _positions, Math.Max(from + atMostBytes, _positions.Length * 2));
        _ids[Count] = id;
        _frequencies[Count] = frequency;
        return _positions.AsSpan(from);
    }

    private void End(int positionBytes)
    {
        _positionEnds[Count] = PositionBytes + positionBytes;
        Count++;
    }
}
