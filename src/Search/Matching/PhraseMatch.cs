using System.Globalization;
using Jackdaw.Search.Postings;

namespace Jackdaw.Search.Matching;

/// <summary>The entries of a match that have several words at certain distances from each other. Positions are read only of entries that
/// have all of the words.</summary>
/// <param name="run">The query.</param>
/// <param name="all">The entries that have all words.</param>
/// <param name="words">A reader for each word of the phrase, also for one that comes twice; the rarest word first.</param>
/// <param name="offsets">Of each word: its distance from the phrase's first one.</param>
/// <param name="what">For people.</param>
internal sealed class PhraseMatch(QueryRun run, Match all, PositionReader[] words, uint[] offsets, string what) : Match
{
    private long _compared;

    public override long Count => all.Count;

    public override bool IsExact => false;

    public override int Fill(Span<long> ids)
    {
        for (; ; )
        {
            run.Check();
            int filled = all.Fill(ids);
            if (filled == 0)
                return 0;
            int kept = Filter(ids[..filled]);
            if (kept > 0)
                return kept;
        }
    }

    public override void SeekTo(long id) => all.SeekTo(id);

    public override void Rewind()
    {
        all.Rewind();
        foreach (var word in words)
            word.Rewind();
    }

    public override int Retain(Span<long> ids) => Filter(ids[..all.Retain(ids)]);

    public override void Expect(long ids) => all.Expect(ids);

    public override void Describe(MatchDescription description)
    {
        long blocks = 0;
        foreach (var word in words)
            blocks += word.BlocksRead;
        description.Add(
            what,
            this,
            string.Create(CultureInfo.InvariantCulture, $"positions of {_compared} entries in {blocks} blocks"),
            all
        );
    }

    public override void Dispose() => all.Dispose();

    private int Filter(Span<long> ids)
    {
        int kept = 0;
        foreach (long id in ids)
        {
            run.Check();
            ids[kept] = id;
            kept += HasPhrase(id) ? 1 : 0;
        }
        return kept;
    }

    /// <summary>Each word in turn moves the place where the phrase can begin at the earliest, until all agree.</summary>
    private bool HasPhrase(long entry)
    {
        _compared++;
        uint start = 0;
        int placed = 0;
        for (int i = 0; i < words.Length; )
        {
            if (i == placed)
            {
                words[i].MoveTo(entry);
                placed++;
            }
            if (!words[i].SeekPosition(start + offsets[i], out uint position))
                return false;
            bool agrees = i == 0 || position == start + offsets[i];
            start = position - offsets[i];
            i = agrees ? i + 1 : 0;
            if (!agrees)
                run.Check();
        }
        return true;
    }
}
