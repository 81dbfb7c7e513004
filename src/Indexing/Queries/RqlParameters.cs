using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using Jackdaw.Indexing.Rql;

namespace Jackdaw.Indexing.Queries;

/// <summary>The values of a query's parameters: JSON values by name, numbers kept as written. Names are compared exactly.</summary>
public sealed class RqlParameters
{
    private readonly Dictionary<string, JsonElement> _values = new(StringComparer.Ordinal);

    private RqlParameters() { }

    /// <summary>No parameters.</summary>
    public static RqlParameters None { get; } = new();

    /// <summary>Takes the members of a JSON object; null and an absent value are no parameters. Independent of the element's
    /// document afterwards.</summary>
    /// <exception cref="QueryParameterException">The element is neither an object nor null.</exception>
    public static RqlParameters From(JsonElement element)
    {
        if (element.ValueKind is JsonValueKind.Null or JsonValueKind.Undefined)
            return None;
        if (element.ValueKind != JsonValueKind.Object)
            throw new QueryParameterException(
                $"The query's parameters must be a JSON object, not {Describe(element)}",
                new RqlPosition(1, 1)
            );

        var parameters = new RqlParameters();
        foreach (var property in element.Clone().EnumerateObject())
            parameters._values[property.Name] = property.Value;
        return parameters;
    }

    /// <summary>Reads a JSON object, or null.</summary>
    /// <exception cref="JsonException">The text is not JSON.</exception>
    /// <exception cref="QueryParameterException">The text is neither an object nor null.</exception>
    public static RqlParameters Parse(string json)
    {
        using var document = JsonDocument.Parse(json);
        return From(document.RootElement);
    }

    internal bool TryGet(string name, [MaybeNullWhen(false)] out JsonElement value) => _values.TryGetValue(name, out value);

    internal static string Describe(JsonElement value) =>
        value.ValueKind switch
        {
            JsonValueKind.Object => "an object",
            JsonValueKind.Array => "an array",
            JsonValueKind.String => "a text",
            JsonValueKind.Number => $"the number {value.GetRawText()}",
            JsonValueKind.True => "true",
            JsonValueKind.False => "false",
            _ => "null",
        };
}
