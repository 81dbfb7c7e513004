using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Matching;

/// <summary>The entries of any, or of each, of many terms, which are looked up one after the other.</summary>
internal sealed class TermSetMatch : BitmapMatch
{
    /// <summary>Look-ups between two looks at the cancellation.</summary>
    private const int CheckEvery = 256;

    private readonly TermKeys _keys;
    private readonly bool _isAll;
    private readonly string _what;
    private readonly long _postings;

    /// <param name="run">The query.</param>
    /// <param name="keys">The terms; those that the dictionary does not have are left out of any, and make each empty.</param>
    /// <param name="isAll">Entries that have each term; else any.</param>
    /// <param name="what">For people.</param>
    public TermSetMatch(QueryRun run, TermKeys keys, bool isAll, string what)
        : base(run)
    {
        _keys = keys;
        _isAll = isAll;
        _what = what;
        if (!isAll)
        {
            // To know how many there are, each term is looked up: then its entries are as well taken at once.
            Collected();
            return;
        }
        _postings = long.MaxValue;
        for (int i = 0; i < keys.Count; i++)
        {
            if (i % CheckEvery == 0)
                run.Check();
            _postings = Math.Min(_postings, keys.DocumentFrequency(i));
        }
    }

    protected override long Bound => Math.Min(_postings, Run.View.EntryCount);

    protected override bool IsBoundExact => _isAll && _postings == 0;

    public override void Describe(MatchDescription description) => description.Add(_what, this, $"{_keys.Count} terms looked up");

    protected override void Collect(EntryBitmap bitmap)
    {
        if (_isAll)
        {
            CollectAll(bitmap);
            return;
        }
        var collector = new PostingCollector(Run, bitmap);
        for (int i = 0; i < _keys.Count; i++)
        {
            if (i % CheckEvery == 0)
                Run.Check();
            if (_keys.TryGet(i, out var tree, out var value))
                collector.Add(tree, value);
        }
        collector.End();
    }

    /// <summary>The rarest term's entries, as far as each other term has them too.</summary>
    private void CollectAll(EntryBitmap bitmap)
    {
        int rarest = 0;
        for (int i = 1; i < _keys.Count; i++)
            rarest = _keys.DocumentFrequency(i) < _keys.DocumentFrequency(rarest) ? i : rarest;
        if (!_keys.TryGet(rarest, out var tree, out var value))
            return;
        long[] ids = System.Buffers.ArrayPool<long>.Shared.Rent(BlockIds);
        using var first = new TermMatch(Run, tree, value, "");
        for (int filled; (filled = first.Fill(ids)) > 0; )
        {
            var left = ids.AsSpan(0, filled);
            for (int i = 0; i < _keys.Count && !left.IsEmpty; i++)
            {
                if (i == rarest)
                    continue;
                left = left[..Retain(i, left)];
            }
            bitmap.Add(left);
        }
        System.Buffers.ArrayPool<long>.Shared.Return(ids);
    }

    private int Retain(int term, Span<long> ids)
    {
        Run.Check();
        bool exists = _keys.TryGet(term, out var tree, out var value);
        if (!exists)
            return 0;
        var reader = Run.Rent();
        reader.Open(tree, value);
        int kept = reader.Retain(ids);
        Run.Return(reader);
        return kept;
    }
}
