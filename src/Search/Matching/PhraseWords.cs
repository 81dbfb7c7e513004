using Jackdaw.Search.Analysis;
using Jackdaw.Search.Queries;

namespace Jackdaw.Search.Matching;

/// <summary>The words that an analyzer makes of a phrase, with their positions.</summary>
internal sealed class PhraseWords(TermKeys keys) : ITermSink
{
    private readonly List<uint> _positions = [];

    /// <summary>The terms in the order of the phrase; a word that comes twice is there twice.</summary>
    public TermKeys Keys => keys;

    public int Count => _positions.Count;

    /// <summary>The distance of a word from the first one. Words that were left out before the first do not count.</summary>
    public uint OffsetOf(int word) => _positions[word] - _positions[0];

    public void Add(ReadOnlySpan<byte> term, uint position)
    {
        if (position >= SearchQueryLimits.MaxPhraseWords)
            throw new SearchQueryException(
                $"A phrase on '{keys.Field.Name}' has more than {SearchQueryLimits.MaxPhraseWords} words "
                    + "(SearchQueryLimits.MaxPhraseWords). Divide it into several phrases."
            );
        keys.Add(term, position);
        _positions.Add(position);
    }
}
