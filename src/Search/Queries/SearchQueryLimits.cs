namespace Jackdaw.Search.Queries;

/// <summary>Every limit of a query in one place. They bound what a single query can cost; none is a setting.</summary>
public static class SearchQueryLimits
{
    /// <summary>Steps that the wildcards and regular expressions of one query take over the terms of their fields: about ten
    /// seconds.</summary>
    public const long MaxPatternWork = 2L << 30;

    /// <summary>Characters of a regular expression.</summary>
    public const int MaxRegexCharacters = 1024;

    /// <summary>What counted repetitions of a regular expression multiply to, nested ones multiplied, others added.</summary>
    public const int MaxRegexRepeats = 5000;

    /// <summary>Groups of a regular expression within each other.</summary>
    public const int MaxRegexDepth = 64;

    /// <summary>Characters of a wildcard, a prefix, a suffix, or a text to be contained.</summary>
    public const int MaxPatternCharacters = 4096;

    /// <summary>Words of a phrase, those counted that the analyzer leaves out. A longer phrase could reach from one value of a field into
    /// the next.</summary>
    public const int MaxPhraseWords = SearchLimits.PositionGap;

    /// <summary>Words of all phrases of a query together: each takes a reader of positions.</summary>
    public const int MaxWordsOfPhrases = 1000;

    /// <summary>Conditions of a query within each other.</summary>
    public const int MaxQueryDepth = 256;

    /// <summary>Values of one <c>in</c>.</summary>
    public const int MaxInValues = 1_000_000;

    /// <summary>Keys of an order.</summary>
    public const int MaxOrderKeys = 16;
}
