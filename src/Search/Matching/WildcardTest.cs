namespace Jackdaw.Search.Matching;

/// <summary><c>*</c> stands for any characters, <c>?</c> for one. Both work on UTF-8: a character is a lead byte with those that
/// follow.</summary>
internal sealed class WildcardTest : ITermTest
{
    private readonly byte[] _pattern;
    private readonly int _prefixLength;

    public WildcardTest(byte[] pattern)
    {
        _pattern = pattern;
        int literal = pattern.AsSpan().IndexOfAny((byte)'*', (byte)'?');
        _prefixLength = literal < 0 ? pattern.Length : literal;
    }

    public ReadOnlySpan<byte> Prefix => _pattern.AsSpan(0, _prefixLength);

    /// <summary>Goes back to the last star at most: no star before it can do better.</summary>
    public bool Fits(ReadOnlySpan<byte> term, ref long work)
    {
        int at = 0;
        int pattern = 0;
        int star = -1;
        int resume = 0;
        while (at < term.Length)
        {
            work++;
            if (pattern < _pattern.Length && _pattern[pattern] == '*')
            {
                star = pattern++;
                resume = at;
            }
            else if (pattern < _pattern.Length && _pattern[pattern] == '?')
            {
                at = After(term, at);
                pattern++;
            }
            else if (pattern < _pattern.Length && _pattern[pattern] == term[at])
            {
                at++;
                pattern++;
            }
            else if (star >= 0)
            {
                resume = After(term, resume);
                at = resume;
                pattern = star + 1;
            }
            else
            {
                return false;
            }
        }
        while (pattern < _pattern.Length && _pattern[pattern] == '*')
            pattern++;
        return pattern == _pattern.Length;
    }

    private static int After(ReadOnlySpan<byte> term, int at)
    {
        at++;
        while (at < term.Length && (term[at] & 0xC0) == 0x80)
            at++;
        return at;
    }
}
