using System.Text;
using Jackdaw.Indexing.Rql;
using Jackdaw.Search.Queries;

namespace Jackdaw.Indexing.Queries;

/// <summary>What <c>search()</c> looks for: words, and phrases in double quotes. Rules: docs/queries.md, "Words".</summary>
/// <param name="Words">The text without its phrases.</param>
/// <param name="Phrases">What stood in quotes, without them.</param>
internal sealed record SearchedText(string Words, IReadOnlyList<string> Phrases)
{
    private const char Quote = '"';
    private const char Escape = '\\';

    public static SearchedText Parse(string text, RqlPosition position)
    {
        if (!text.Contains(Quote, StringComparison.Ordinal))
            return new SearchedText(text, []);
        var words = new StringBuilder(text.Length);
        var phrases = new List<string>();
        int at = 0;
        while (at < text.Length)
        {
            if (text[at] == Escape && at + 1 < text.Length)
            {
                words.Append(text, at, 2);
                at += 2;
            }
            else if (text[at] == Quote && CanOpen(text, at) && EndOf(text, at) is var end && end > 0)
            {
                RequireNoDistance(text, end + 1, position);
                phrases.Add(Unescaped(text.AsSpan(at + 1, end - at - 1)));
                // A star that touches a phrase is not any text.
                while (words.Length > 0 && words[^1] == '*')
                    words.Length--;
                words.Append(' ');
                at = end + 1;
                while (at < text.Length && text[at] == '*')
                    at++;
            }
            else
            {
                words.Append(text[at++]);
            }
        }
        return new SearchedText(words.ToString(), phrases);
    }

    public SearchQuery.Words Query(string field, bool isAll) => new(field, Words, isAll) { Phrases = Phrases };

    /// <summary>A quote behind a letter or a digit is a sign: <c>12" pipe</c>.</summary>
    private static bool CanOpen(string text, int at) => at == 0 || !char.IsLetterOrDigit(text[at - 1]);

    /// <summary>Returns the place of the quote that closes a phrase; -1: none does, and the opening one is a sign.</summary>
    private static int EndOf(string text, int start)
    {
        for (int at = start + 1; at < text.Length; at++)
        {
            if (text[at] == Escape)
                at++;
            else if (text[at] == Quote)
                return at;
        }
        return -1;
    }

    private static string Unescaped(ReadOnlySpan<char> phrase)
    {
        var text = new StringBuilder(phrase.Length);
        for (int at = 0; at < phrase.Length; at++)
        {
            if (phrase[at] == Escape && at + 1 < phrase.Length)
                at++;
            text.Append(phrase[at]);
        }
        return text.ToString();
    }

    private static void RequireNoDistance(string text, int at, RqlPosition position)
    {
        if (at + 1 < text.Length && text[at] == '~' && char.IsAsciiDigit(text[at + 1]))
            throw new QueryNotSupportedException("a distance between the words of a phrase ('~' and a number) in search()", position);
    }
}
