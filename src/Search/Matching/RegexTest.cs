using System.Text;
using System.Text.RegularExpressions;

namespace Jackdaw.Search.Matching;

/// <summary>A regular expression that finds anything in the term. It runs in linear time: no backtracking.</summary>
internal sealed class RegexTest : ITermTest
{
    /// <summary>A step of the automaton costs about as much as so many bytes of a search for text.</summary>
    private const int WorkOfCharacter = 4;

    private readonly Regex _regex;
    private readonly byte[] _prefix;

    public RegexTest(string pattern)
    {
        _regex = LinearRegex.Compile(pattern);
        _prefix = Encoding.UTF8.GetBytes(LiteralPrefix(pattern));
    }

    public ReadOnlySpan<byte> Prefix => _prefix;

    public bool Fits(ReadOnlySpan<byte> term, ref long work)
    {
        Span<char> characters = stackalloc char[SearchLimits.MaxWholeTermBytes];
        int length = Encoding.UTF8.GetChars(term, characters);
        work += (length + 1) * WorkOfCharacter;
        return _regex.IsMatch(characters[..length]);
    }

    /// <summary>What an anchored expression requires at the start, as far as it is plain text.</summary>
    internal static string LiteralPrefix(string pattern)
    {
        if (!pattern.StartsWith('^') || pattern.Contains('|', StringComparison.Ordinal))
            return "";
        int end = 1;
        while (end < pattern.Length && IsPlain(pattern[end]))
            end++;
        // A quantifier behind the last character makes it optional.
        if (end < pattern.Length && end > 1 && pattern[end] is '*' or '?' or '{' or '+')
            end--;
        // Half a surrogate pair is no text.
        if (end > 1 && char.IsHighSurrogate(pattern[end - 1]))
            end--;
        return pattern[1..Math.Max(1, end)];
    }

    private static bool IsPlain(char c) =>
        char.IsLetterOrDigit(c) || c is ' ' or '-' or '_' or '/' or ',' or ':' or '@' or '\'' || c > 0x7F;
}
