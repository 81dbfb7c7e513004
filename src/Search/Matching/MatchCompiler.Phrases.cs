using Jackdaw.Search.Postings;
using Jackdaw.Search.Queries;
using Jackdaw.Storage;

namespace Jackdaw.Search.Matching;

/// <summary>Words one behind the other.</summary>
internal sealed partial class MatchCompiler
{
    /// <summary>A phrase without words adds nothing.</summary>
    private void AddPhrase(FieldView field, string phrase, List<Match> matches)
    {
        string what = $"phrase({field.Name}, {Show(new SearchValue.Text(phrase))})";
        var words = new PhraseWords(run.KeysOf(field));
        Analyze(field, phrase, words);
        if (words.Count == 1)
            matches.Add(OneTerm(words.Keys, 0, what));
        else if (words.Count > 1)
            matches.Add(Phrase(field, words, what));
    }

    private Match Phrase(FieldView field, PhraseWords words, string what)
    {
        if (!field.Known.Options.KeepsPositions)
            throw new SearchQueryException(
                $"The field '{field.Name}' keeps no positions of its words, so that it cannot be asked for a phrase."
            );
        var distinct = run.KeysOf(field);
        for (int i = 0; i < words.Count; i++)
            distinct.AddKeyOf(words.Keys, i);
        var all = EachOf(distinct, "words");
        if (all is NoMatch)
        {
            all.Dispose();
            return new NoMatch($"{what}, a word is nowhere");
        }
        int[] order = [.. Enumerable.Range(0, words.Count).OrderBy(words.Keys.DocumentFrequency)];
        var readers = new PositionReader[order.Length];
        var offsets = new uint[order.Length];
        for (int i = 0; i < order.Length; i++)
        {
            bool exists = words.Keys.TryGet(order[i], out var tree, out var record);
            Invariant.Require(exists, "a term is gone within a transaction");
            readers[i] = run.PositionsOf(tree, record);
            offsets[i] = words.OffsetOf(order[i]);
        }
        return new PhraseMatch(run, all, readers, offsets, what);
    }
}
