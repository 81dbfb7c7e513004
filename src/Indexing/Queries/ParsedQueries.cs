using Jackdaw.Indexing.Rql;
using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Queries;

/// <summary>
/// Remembers the parsed form of queries by their text. Clients send the same few texts again and again, with other parameters. When
/// there are too many, all are forgotten. Thread-safe.
/// </summary>
internal static class ParsedQueries
{
    private static readonly Lock _gate = new();
    private static readonly Dictionary<string, RqlQuery> _byText = new(StringComparer.Ordinal);
    private static long _characters;

    /// <summary>How many are remembered.</summary>
    public static int Count
    {
        get
        {
            lock (_gate)
                return _byText.Count;
        }
    }

    /// <summary>Returns the parsed form. Errors: <see cref="RqlSyntaxException"/>; a text that is no query is not remembered.</summary>
    public static RqlQuery Get(string text)
    {
        lock (_gate)
        {
            if (_byText.TryGetValue(text, out var known))
                return known;
        }
        var parsed = RqlParser.Parse(text);
        if (text.Length > QueryLimits.MaxRememberedCharacters / 16)
            return parsed;
        lock (_gate)
        {
            if (_byText.Count >= QueryLimits.MaxRememberedQueries || _characters + text.Length > QueryLimits.MaxRememberedCharacters)
            {
                _byText.Clear();
                _characters = 0;
            }
            if (_byText.TryAdd(text, parsed))
                _characters += text.Length;
        }
        return parsed;
    }
}
