using System.Buffers;
using System.Numerics;
using Jackdaw.Search.Postings;
using Jackdaw.Storage;

namespace Jackdaw.Search.Matching;

/// <summary>Entries of any of a few matches: they set bits in a window of ids, which then is read.</summary>
internal sealed class OrMatch : Match
{
    /// <summary>More are collected one after the other: each takes a buffer here.</summary>
    public const int MaxMatches = 16;

    private const int WindowIds = 1 << 14;

    private readonly QueryRun _run;
    private readonly Match[] _of;
    private readonly bool _areDisjoint;
    private readonly long[][] _buffers;
    private readonly int[] _at;
    private readonly int[] _filled;
    private readonly ulong[] _window = ArrayPool<ulong>.Shared.Rent(WindowIds / 64);
    private long _windowStart = -1;
    private int _word;

    /// <param name="run">The query.</param>
    /// <param name="of">Two to <see cref="MaxMatches"/>.</param>
    /// <param name="areDisjoint">No entry is in two of them.</param>
    public OrMatch(QueryRun run, IEnumerable<Match> of, bool areDisjoint)
    {
        _run = run;
        _of = [.. of];
        Invariant.Require(_of.Length is > 1 and <= MaxMatches);
        _areDisjoint = areDisjoint;
        _buffers = new long[_of.Length][];
        _at = new int[_of.Length];
        _filled = new int[_of.Length];
        for (int i = 0; i < _of.Length; i++)
            _buffers[i] = ArrayPool<long>.Shared.Rent(BlockIds);
        Rewind();
    }

    public override long Count
    {
        get
        {
            long sum = 0;
            foreach (var match in _of)
                sum += match.Count;
            return Math.Min(sum, _run.View.EntryCount);
        }
    }

    public override bool IsExact => _areDisjoint && Array.TrueForAll(_of, match => match.IsExact);

    public override int Fill(Span<long> ids)
    {
        int filled = 0;
        while (filled + 64 <= ids.Length)
        {
            if (_windowStart < 0 && !NextWindow())
                break;
            for (; _word < WindowIds / 64 && filled + 64 <= ids.Length; _word++)
            {
                long first = _windowStart + (_word << 6);
                for (ulong bits = _window[_word]; bits != 0; bits &= bits - 1)
                    ids[filled++] = first + BitOperations.TrailingZeroCount(bits);
            }
            if (_word == WindowIds / 64)
                _windowStart = -1;
        }
        return filled;
    }

    public override void SeekTo(long id)
    {
        long end = _windowStart + WindowIds;
        if (_windowStart >= 0 && id < end)
        {
            for (int word = 0; word < WindowIds / 64 && _windowStart + (word << 6) < id; word++)
            {
                long past = id - (_windowStart + (word << 6));
                _window[word] &= past >= 64 ? 0 : ulong.MaxValue << (int)past;
            }
            return;
        }
        _windowStart = -1;
        for (int i = 0; i < _of.Length; i++)
        {
            var left = _buffers[i].AsSpan(_at[i], _filled[i] - _at[i]);
            _at[i] += SortedIds.LowerBound(left, id);
            if (_at[i] == _filled[i])
                _of[i].SeekTo(id);
        }
    }

    public override void Rewind()
    {
        _windowStart = -1;
        for (int i = 0; i < _of.Length; i++)
        {
            _of[i].Rewind();
            _at[i] = _filled[i] = 0;
        }
    }

    public override int Retain(Span<long> ids)
    {
        _run.Check();
        long[] some = ArrayPool<long>.Shared.Rent(ids.Length);
        bool[] fits = ArrayPool<bool>.Shared.Rent(ids.Length);
        fits.AsSpan(0, ids.Length).Clear();
        foreach (var match in _of)
        {
            ids.CopyTo(some);
            int found = match.Retain(some.AsSpan(0, ids.Length));
            for (int i = 0, at = 0; i < found; i++)
            {
                while (ids[at] != some[i])
                    at++;
                fits[at] = true;
            }
        }
        int kept = 0;
        for (int i = 0; i < ids.Length; i++)
        {
            ids[kept] = ids[i];
            kept += fits[i] ? 1 : 0;
        }
        ArrayPool<long>.Shared.Return(some);
        ArrayPool<bool>.Shared.Return(fits);
        return kept;
    }

    public override void Expect(long ids)
    {
        foreach (var match in _of)
            match.Expect(ids);
    }

    public override void Describe(MatchDescription description) => description.Add("or", this, null, _of);

    public override void Dispose()
    {
        ArrayPool<ulong>.Shared.Return(_window);
        for (int i = 0; i < _of.Length; i++)
        {
            ArrayPool<long>.Shared.Return(_buffers[i]);
            _of[i].Dispose();
        }
    }

    /// <summary>To the next window that has any id. False at the end.</summary>
    private bool NextWindow()
    {
        _run.Check();
        long first = long.MaxValue;
        for (int i = 0; i < _of.Length; i++)
        {
            if (HasNext(i))
                first = Math.Min(first, _buffers[i][_at[i]]);
        }
        if (first == long.MaxValue)
            return false;
        _windowStart = first & ~(long)(WindowIds - 1);
        _word = 0;
        _window.AsSpan(0, WindowIds / 64).Clear();
        long end = _windowStart + WindowIds;
        for (int i = 0; i < _of.Length; i++)
        {
            while (HasNext(i) && _buffers[i][_at[i]] < end)
                _at[i] += SetBits(_buffers[i].AsSpan(_at[i], _filled[i] - _at[i]), end);
        }
        return true;
    }

    private bool HasNext(int i)
    {
        if (_at[i] < _filled[i])
            return true;
        _at[i] = 0;
        _filled[i] = _of[i].Fill(_buffers[i]);
        return _filled[i] > 0;
    }

    private int SetBits(ReadOnlySpan<long> ids, long end)
    {
        int count = ids[^1] < end ? ids.Length : SortedIds.LowerBound(ids, end);
        foreach (long id in ids[..count])
            _window[(id - _windowStart) >> 6] |= 1UL << (int)id;
        return count;
    }
}
