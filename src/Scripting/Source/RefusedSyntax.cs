using System.Globalization;
using Jackdaw.Scripting.Errors;

namespace Jackdaw.Scripting.Source;

/// <summary>
/// Refuses asynchronous functions and imports, whose jobs would run after the call, outside its time limit. By the text alone, so
/// it never misses one (neither word may
/// be written with escapes): what is refused beside that is those words in comments and texts where code could follow them.
/// </summary>
internal static class RefusedSyntax
{
    /// <summary>Throws <see cref="ScriptSyntaxException"/>.</summary>
    public static void Check(string source)
    {
        Check(source, "async", "asynchronous functions", ":,)}=;].?&|<>+-!");
        Check(source, "import", "imports", ":,)}");
    }

    /// <param name="source">The script.</param>
    /// <param name="word">The word.</param>
    /// <param name="what">What it is for, in the refusal.</param>
    /// <param name="harmless">What can follow the word only where it is an ordinary name.</param>
    private static void Check(string source, string word, string what, string harmless)
    {
        for (
            int at = source.IndexOf(word, StringComparison.Ordinal);
            at >= 0;
            at = source.IndexOf(word, at + word.Length, StringComparison.Ordinal)
        )
        {
            if (!IsWord(source, at, word.Length) || IsMember(source, at) || !CodeFollows(source, at + word.Length, harmless))
                continue;
            int line = source.AsSpan(0, at).Count('\n') + 1;
            int column = at - source.LastIndexOf('\n', at);
            throw new ScriptSyntaxException($"Scripts cannot use {what} ('{word}').", line, column);
        }
    }

    private static bool IsWord(string source, int at, int length) =>
        (at == 0 || !IsPartOfName(source[at - 1])) && (at + length == source.Length || !IsPartOfName(source[at + length]));

    /// <summary>Right after a single dot it is the name of a property; after three it is not. A dot further away may be the end
    /// of a comment.</summary>
    private static bool IsMember(string source, int at) => at > 1 && source[at - 1] == '.' && source[at - 2] != '.';

    private static bool CodeFollows(string source, int at, string harmless)
    {
        while (at < source.Length && char.IsWhiteSpace(source[at]))
            at++;
        return at < source.Length && !harmless.Contains(source[at]);
    }

    private static bool IsPartOfName(char c) =>
        char.IsLetterOrDigit(c)
        || c is '_' or '$' or '\u200C' or '\u200D'
        || char.GetUnicodeCategory(c)
            is UnicodeCategory.NonSpacingMark
                or UnicodeCategory.SpacingCombiningMark
                or UnicodeCategory.ConnectorPunctuation;
}
