using System.Text.RegularExpressions;
using Jackdaw.Search.Queries;

namespace Jackdaw.Search.Matching;

/// <summary>Compiles the regular expressions of queries: those that run in linear time, within limits.</summary>
public static class LinearRegex
{
    /// <summary>Compiles. Errors: a <see cref="SearchQueryException"/> for an expression that is malformed, too large, or cannot run in
    /// linear time.</summary>
    public static Regex Compile(string pattern)
    {
        ArgumentNullException.ThrowIfNull(pattern);
        if (pattern.Length > SearchQueryLimits.MaxRegexCharacters)
            throw new SearchQueryException(
                $"The regular expression has {pattern.Length} characters; the limit is {SearchQueryLimits.MaxRegexCharacters} "
                    + "(SearchQueryLimits.MaxRegexCharacters)."
            );
        RegexRepeats.RequireFew(pattern);
        try
        {
            return new Regex(pattern, RegexOptions.NonBacktracking | RegexOptions.CultureInvariant);
        }
        catch (ArgumentException e)
        {
            throw new SearchQueryException($"The regular expression '{pattern}' is malformed: {e.Message}", e);
        }
        catch (NotSupportedException e)
        {
            throw new SearchQueryException($"The regular expression '{pattern}' cannot run in linear time: {e.Message}", e);
        }
    }
}
