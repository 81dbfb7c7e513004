using System.Text.RegularExpressions;

namespace Jackdaw.Demo.Parts;

/// <summary>One run of a function, as both hosts print it.</summary>
/// <param name="Function">Its name.</param>
/// <param name="Succeeded">Whether it did.</param>
/// <param name="Duration">As printed, such as <c>12ms</c>; empty when it was not.</param>
/// <param name="Rest">What stands behind, such as the reason of a failure.</param>
internal sealed partial record Execution(string Function, bool Succeeded, string Duration, string Rest)
{
    /// <summary>Null when the line tells of something else.</summary>
    public static Execution? Parse(string line)
    {
        var match = Line().Match(line);
        return match.Success
            ? new Execution(
                match.Groups["name"].Value,
                match.Groups["outcome"].Value == "Succeeded",
                match.Groups["duration"].Value,
                match.Groups["rest"].Value.Trim()
            )
            : null;
    }

    [GeneratedRegex(
        @"Executed 'Functions\.(?<name>[^']+)' \((?<outcome>Succeeded|Failed)(, Id=[^,)]*)?(, Duration=(?<duration>\w+))?(?<rest>.*)$"
    )]
    private static partial Regex Line();
}
