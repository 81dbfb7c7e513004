using Jackdaw.Indexing.Rql;
using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Queries;

/// <summary>
/// Remembers the parsed form of queries by their text, from the second time that a text is asked. Clients send the same few texts again
/// and again, with other parameters. A text with its values written into it comes once: its parsed form would only live long enough to be
/// copied by the garbage collector, and would push out those that come again. When there are too many, all are forgotten. Thread-safe.
/// </summary>
internal sealed class ParsedQueries
{
    /// <summary>Hashes of texts that were asked once; a later one takes the place of an earlier one.</summary>
    private const int OnceAsked = 4096;

    private readonly Lock _gate = new();
    private readonly Dictionary<string, RqlQuery> _byText = new(StringComparer.Ordinal);
    private readonly int[] _once = new int[OnceAsked];
    private long _characters;

    /// <summary>Those of all databases.</summary>
    public static ParsedQueries Shared { get; } = new();

    /// <summary>How many are remembered.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
                return _byText.Count;
        }
    }

    /// <summary>Returns the parsed form. Errors: <see cref="RqlSyntaxException"/>; a text that is no query is not remembered.</summary>
    public RqlQuery Get(string text)
    {
        bool isAskedAgain;
        lock (_gate)
        {
            if (_byText.TryGetValue(text, out var known))
                return known;
            isAskedAgain = IsAskedAgain(text);
        }
        var parsed = RqlParser.Parse(text);
        if (isAskedAgain && text.Length <= QueryLimits.MaxRememberedCharacters / 16)
            Remember(text, parsed);
        return parsed;
    }

    /// <summary>Another text of the same hash may answer true: then one is remembered that came once.</summary>
    private bool IsAskedAgain(string text)
    {
        int hash = text.GetHashCode(StringComparison.Ordinal);
        ref int last = ref _once[(uint)hash % OnceAsked];
        if (last == hash)
            return true;
        last = hash;
        return false;
    }

    private void Remember(string text, RqlQuery parsed)
    {
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
    }
}
