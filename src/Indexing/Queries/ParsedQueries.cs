using Jackdaw.Indexing.Rql;
using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Queries;

/// <summary>
/// Remembers the parsed form of queries by their text, from the second time that a text is asked: clients send the same few texts again
/// and again, with other parameters, and a text with its values written into it comes once. Thread-safe.
/// </summary>
internal sealed class ParsedQueries
{
    private readonly SecondTimeCache<string, RqlQuery> _byText = new(QueryLimits.MaxRememberedQueries, QueryLimits.MaxRememberedCharacters);

    /// <summary>Those of all databases.</summary>
    public static ParsedQueries Shared { get; } = new();

    /// <summary>How many are remembered.</summary>
    public int Count => _byText.Count;

    /// <summary>Returns the parsed form. Errors: <see cref="RqlSyntaxException"/>; a text that is no query is not remembered.</summary>
    public RqlQuery Get(string text)
    {
        if (_byText.TryGet(text, out var known, out bool isAskedAgain))
            return known!;
        var parsed = RqlParser.Parse(text);
        if (isAskedAgain && text.Length <= QueryLimits.MaxRememberedCharacters / 16)
            _byText.Add(text, parsed, text.Length);
        return parsed;
    }
}
