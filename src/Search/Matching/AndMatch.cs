namespace Jackdaw.Search.Matching;

/// <summary>Entries that all of several matches have, and none of others. The smallest is read, the rest filter it.</summary>
internal sealed class AndMatch : Match
{
    private readonly QueryRun _run;
    private readonly Match[] _of;
    private readonly Match[] _not;

    /// <param name="run">The query.</param>
    /// <param name="of">At least one.</param>
    /// <param name="not">Any number; with one match in <paramref name="of"/> at least one.</param>
    public AndMatch(QueryRun run, IEnumerable<Match> of, IEnumerable<Match> not)
    {
        _run = run;
        _of = [.. of.OrderBy(match => match.Count)];
        _not = [.. not.OrderByDescending(match => match.Count)];
        long expected = _of[0].Count;
        foreach (var match in _of.AsSpan(1))
        {
            match.Expect(expected);
            // Unknown how many are left; as if one in two were.
            expected = Math.Max(1, expected / 2);
        }
        foreach (var match in _not)
            match.Expect(expected);
    }

    /// <summary>Everything but one match, whose size is known.</summary>
    private bool IsComplement => _of is [AllMatch] && _not is [{ IsExact: true }];

    public override long Count => IsComplement ? _of[0].Count - _not[0].Count : _of[0].Count;

    public override bool IsExact => IsComplement;

    public override int Fill(Span<long> ids)
    {
        for (; ; )
        {
            _run.Check();
            int filled = _of[0].Fill(ids);
            if (filled == 0)
                return 0;
            int kept = Filter(ids[..filled], 1);
            if (kept > 0)
                return kept;
        }
    }

    public override void SeekTo(long id) => _of[0].SeekTo(id);

    public override void Rewind()
    {
        foreach (var match in _of)
            match.Rewind();
        foreach (var match in _not)
            match.Rewind();
    }

    public override int Retain(Span<long> ids) => Filter(ids, 0);

    public override void Expect(long ids)
    {
        if (ids < _of[0].Count)
            _of[0].Expect(ids);
    }

    public override void Describe(MatchDescription description)
    {
        description.Add(_not.Length == 0 ? "and" : "and not", this, null, [.. _of]);
        if (_not.Length == 0)
            return;
        foreach (var match in _not)
        {
            description.Line("  without");
            description.Indented(match);
        }
    }

    public override void Dispose()
    {
        foreach (var match in _of)
            match.Dispose();
        foreach (var match in _not)
            match.Dispose();
    }

    private int Filter(Span<long> ids, int from)
    {
        for (int i = from; i < _of.Length && !ids.IsEmpty; i++)
            ids = ids[.._of[i].Retain(ids)];
        for (int i = 0; i < _not.Length && !ids.IsEmpty; i++)
            ids = ids[.._not[i].Exclude(ids)];
        return ids.Length;
    }
}
