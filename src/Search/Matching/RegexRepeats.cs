using System.Globalization;
using Jackdaw.Search.Queries;

namespace Jackdaw.Search.Matching;

/// <summary>
/// Bounds what the counted repetitions of a regular expression multiply to: an automaton has a state for each of them, so that
/// <c>(a{1000}){1000}</c> would take the memory of a million.
/// </summary>
internal static class RegexRepeats
{
    /// <summary>Throws a <see cref="SearchQueryException"/> when the product of nested counts, or the sum of those side by side, passes
    /// <see cref="SearchQueryLimits.MaxRegexRepeats"/>.</summary>
    public static void RequireFew(string pattern)
    {
        int at = 0;
        long cost = Sequence(pattern, ref at, 0);
        if (cost > SearchQueryLimits.MaxRegexRepeats)
            throw new SearchQueryException(
                $"The counted repetitions of the regular expression '{pattern}' multiply to more than {SearchQueryLimits.MaxRegexRepeats} "
                    + "(SearchQueryLimits.MaxRegexRepeats)."
            );
    }

    private static long Sequence(string pattern, ref int at, int depth)
    {
        if (depth > SearchQueryLimits.MaxRegexDepth)
            throw new SearchQueryException(
                $"The regular expression nests more than {SearchQueryLimits.MaxRegexDepth} groups (SearchQueryLimits.MaxRegexDepth)."
            );
        long sum = 0;
        while (at < pattern.Length && pattern[at] != ')')
        {
            long atom = Atom(pattern, ref at, depth);
            sum = Bounded(sum + Bounded(atom * Repeats(pattern, ref at)));
        }
        return sum;
    }

    private static long Atom(string pattern, ref int at, int depth)
    {
        char c = pattern[at++];
        if (c == '\\' && at < pattern.Length)
        {
            at++;
        }
        else if (c == '[')
        {
            // The first ']' of a class stands for itself.
            at += at < pattern.Length && pattern[at] == '^' ? 1 : 0;
            at += at < pattern.Length && pattern[at] == ']' ? 1 : 0;
            while (at < pattern.Length && pattern[at] != ']')
                at += pattern[at] == '\\' ? 2 : 1;
            at = Math.Min(at + 1, pattern.Length);
        }
        else if (c == '(')
        {
            long inner = Sequence(pattern, ref at, depth + 1);
            at = Math.Min(at + 1, pattern.Length);
            return Math.Max(1, inner);
        }
        return 1;
    }

    private static long Repeats(string pattern, ref int at)
    {
        long product = 1;
        while (at < pattern.Length && pattern[at] == '{')
        {
            int end = pattern.IndexOf('}', at);
            if (end < 0)
                break;
            string counts = pattern[(at + 1)..end];
            string greatest = counts[(counts.IndexOf(',', StringComparison.Ordinal) + 1)..];
            greatest = greatest.Length == 0 ? counts.TrimEnd(',') : greatest;
            if (!long.TryParse(greatest, NumberStyles.None, CultureInfo.InvariantCulture, out long count))
                break;
            product = Bounded(product * Math.Max(1, Bounded(count)));
            at = end + 1;
        }
        return product;
    }

    private static long Bounded(long value) => Math.Min(value, int.MaxValue);
}
