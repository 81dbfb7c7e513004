using System.Text.Json;
using System.Text.RegularExpressions;

namespace Jackdaw.Acceptance;

/// <summary>
/// Compares an answer with what a client needs of it. Members that a shape does not name may be there. In place of a value:
/// <c>&lt;text&gt;</c>, <c>&lt;text with: …&gt;</c>, <c>&lt;number&gt;</c>, <c>&lt;boolean&gt;</c>, <c>&lt;list&gt;</c>,
/// <c>&lt;any&gt;</c>, and <c>&lt;date&gt;</c> (seven decimals, with or without a Z).
/// </summary>
internal static partial class AnswerShape
{
    public static IEnumerable<string> Differences(JsonElement expected, JsonElement actual, string path = "$") =>
        expected.ValueKind switch
        {
            JsonValueKind.Object when actual.ValueKind == JsonValueKind.Object => expected
                .EnumerateObject()
                .SelectMany(member =>
                    actual.TryGetProperty(member.Name, out var value)
                        ? Differences(member.Value, value, $"{path}.{member.Name}")
                        : [$"{path} has no {member.Name}"]
                ),
            JsonValueKind.Array when actual.ValueKind == JsonValueKind.Array => expected.GetArrayLength() == actual.GetArrayLength()
                ? expected.EnumerateArray().SelectMany((item, i) => Differences(item, actual[i], $"{path}[{i}]"))
                : [$"{path} has {actual.GetArrayLength()} elements instead of {expected.GetArrayLength()}"],
            JsonValueKind.String when IsKind(expected.GetString()!) => Is(expected.GetString()!, actual)
                ? []
                : [$"{path} is {actual.GetRawText()} instead of {expected.GetString()}"],
            _ => JsonElement.DeepEquals(expected, actual) ? [] : [$"{path} is {actual.GetRawText()} instead of {expected.GetRawText()}"],
        };

    /// <summary>The members that are not where a client that reads front to back looks for them.</summary>
    public static IEnumerable<string> OutOfOrder(JsonElement order, JsonElement actual)
    {
        var names = order.EnumerateArray().Select(name => name.GetString());
        var found = actual.EnumerateObject().Select(member => member.Name).Take(order.GetArrayLength());
        if (!names.SequenceEqual(found))
            yield return $"the members begin with {string.Join(", ", found)} instead of {string.Join(", ", names)}";
    }

    private static bool IsKind(string text) => text.StartsWith('<') && text.EndsWith('>');

    private static bool Is(string kind, JsonElement actual) =>
        kind switch
        {
            "<any>" => true,
            "<text>" => actual.ValueKind == JsonValueKind.String && actual.GetString()!.Length > 0,
            "<number>" => actual.ValueKind == JsonValueKind.Number,
            "<boolean>" => actual.ValueKind is JsonValueKind.True or JsonValueKind.False,
            "<list>" => actual.ValueKind == JsonValueKind.Array,
            "<date>" => actual.ValueKind == JsonValueKind.String && Date().IsMatch(actual.GetString()!),
            _ when kind.StartsWith("<text with: ", StringComparison.Ordinal) => actual.ValueKind == JsonValueKind.String
                && actual.GetString()!.Contains(kind["<text with: ".Length..^1], StringComparison.Ordinal),
            _ => throw new ArgumentException($"There is no kind {kind}.", nameof(kind)),
        };

    [GeneratedRegex(@"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z?$")]
    private static partial Regex Date();
}
