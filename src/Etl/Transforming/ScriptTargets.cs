using System.Text.RegularExpressions;

namespace Jackdaw.Etl.Transforming;

/// <summary>The targets that a script's text names.</summary>
internal static partial class ScriptTargets
{
    public const string Prefix = "loadTo";

    /// <summary>Every name <c>loadTo‹Name›</c> anywhere in the text, comments and texts included: what is bound without need does
    /// no harm.</summary>
    public static string[] Functions(string source) =>
        Names().Matches(source).Select(match => match.Value).Distinct(StringComparer.Ordinal).ToArray();

    /// <summary>
    /// The targets of calls whose target stands in the text, outside of comments and texts. One whose name is computed is not
    /// seen, nor one behind a regular
    /// expression that holds a quote.
    /// </summary>
    public static string[] Literal(string source)
    {
        var found = new List<string>();
        foreach (Match match in Tokens().Matches(source))
        {
            string target = match.Groups["name"].Success ? match.Groups["name"].Value : match.Groups["text"].Value;
            bool isCall = match.Groups["name"].Success || match.Groups["text"].Success;
            if (isCall && !found.Contains(target))
                found.Add(target);
        }
        return [.. found];
    }

    [GeneratedRegex(@"(?<![\w$])loadTo[A-Za-z0-9_$]+(?![\w$])")]
    private static partial Regex Names();

    [GeneratedRegex(
        """
            //[^\n]*|/\*[\s\S]*?\*/
            |(?<![\w$.])loadTo(?<name>[A-Za-z0-9_$]+)\s*\(
            |(?<![\w$.])loadTo\s*\(\s*(?:"(?<text>[^"\\\n]*)"|'(?<text>[^'\\\n]*)')\s*,
            |"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`
            """,
        RegexOptions.IgnorePatternWhitespace
    )]
    private static partial Regex Tokens();
}
