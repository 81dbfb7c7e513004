using System.Text;

namespace Jackdaw.Server.Endpoints.Documents;

/// <summary>
/// The globs of <c>matches</c> and <c>exclude</c>: alternatives separated by <c>|</c>, <c>?</c> for one character and <c>*</c>
/// for any, without case, applied to
/// what follows the prefix of an id.
/// </summary>
internal sealed class IdPattern
{
    private readonly byte[][] _alternatives;

    private IdPattern(byte[][] alternatives) => _alternatives = alternatives;

    /// <summary>Null for an absent or empty pattern, which restricts nothing.</summary>
    public static IdPattern? Parse(string? text)
    {
        if (string.IsNullOrEmpty(text))
            return null;
        var alternatives = text.ToLowerInvariant()
            .Split('|', StringSplitOptions.RemoveEmptyEntries)
            .Select(Encoding.UTF8.GetBytes)
            .ToArray();
        return alternatives.Length == 0 ? null : new IdPattern(alternatives);
    }

    /// <param name="lowerRest">The lower-case id after the prefix, UTF-8.</param>
    public bool Matches(ReadOnlySpan<byte> lowerRest)
    {
        foreach (var alternative in _alternatives)
            if (Matches(alternative, lowerRest))
                return true;
        return false;
    }

    /// <summary>Goes back only to the last star, so the time is at most the product of the two lengths.</summary>
    private static bool Matches(ReadOnlySpan<byte> pattern, ReadOnlySpan<byte> text)
    {
        int p = 0,
            t = 0,
            star = -1,
            resume = 0;
        while (t < text.Length)
        {
            if (p < pattern.Length && pattern[p] == (byte)'*')
            {
                star = p++;
                resume = t;
            }
            else if (p < pattern.Length && pattern[p] == (byte)'?')
            {
                p++;
                t += CharacterLength(text, t);
            }
            else if (p < pattern.Length && pattern[p] == text[t])
            {
                p++;
                t++;
            }
            else if (star >= 0)
            {
                p = star + 1;
                resume += CharacterLength(text, resume);
                t = resume;
            }
            else
                return false;
        }
        while (p < pattern.Length && pattern[p] == (byte)'*')
            p++;
        return p == pattern.Length;
    }

    private static int CharacterLength(ReadOnlySpan<byte> text, int at)
    {
        var length = 1;
        while (at + length < text.Length && (text[at + length] & 0xC0) == 0x80)
            length++;
        return length;
    }
}
