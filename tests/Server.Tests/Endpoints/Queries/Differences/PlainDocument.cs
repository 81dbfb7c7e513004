using System.Text.Json;

namespace Jackdaw.Server.Tests.Endpoints.Queries.Differences;

/// <summary>A document, and the values of its fields by the rules of docs/indexing.md, "Automatic maps", written down a second
/// time.</summary>
internal sealed class PlainDocument(string id, string json)
{
    private readonly JsonElement _root = JsonDocument.Parse(json).RootElement;
    private readonly Dictionary<string, List<PlainValue>> _values = [];

    public string Id => id;

    public string Json => json;

    /// <summary>The values at a path of names and <c>[]</c>; none: the field is missing.</summary>
    public IReadOnlyList<PlainValue> ValuesOf(params string[] path)
    {
        string key = string.Join('\n', path);
        if (!_values.TryGetValue(key, out var values))
        {
            _values.Add(key, values = []);
            bool hasEmpty = false;
            Walk(_root, path, values, ref hasEmpty);
            if (values.Count == 0 && hasEmpty)
                values.Add(new PlainValue(PlainKind.EmptyArray));
        }
        return values;
    }

    private static void Walk(JsonElement at, ReadOnlySpan<string> path, List<PlainValue> values, ref bool hasEmpty)
    {
        if (at.ValueKind == JsonValueKind.Null)
            values.Add(new PlainValue(PlainKind.Null));
        else if (at.ValueKind == JsonValueKind.Array && (path.IsEmpty || path[0] == "[]"))
            WalkElements(at, path.IsEmpty ? path : path[1..], values, ref hasEmpty);
        else if (path.IsEmpty)
            Add(at, values);
        else if (path[0] != "[]" && at.ValueKind == JsonValueKind.Object && at.TryGetProperty(path[0], out var member))
            Walk(member, path[1..], values, ref hasEmpty);
    }

    /// <summary>Arrays in an array are gone into.</summary>
    private static void WalkElements(JsonElement array, ReadOnlySpan<string> path, List<PlainValue> values, ref bool hasEmpty)
    {
        hasEmpty |= array.GetArrayLength() == 0;
        foreach (var element in array.EnumerateArray())
        {
            if (element.ValueKind == JsonValueKind.Array)
                WalkElements(element, path, values, ref hasEmpty);
            else
                Walk(element, path, values, ref hasEmpty);
        }
    }

    private static void Add(JsonElement at, List<PlainValue> values)
    {
        if (at.ValueKind != JsonValueKind.Number)
        {
            values.Add(new PlainValue(PlainKind.Text, at.ValueKind == JsonValueKind.String ? at.GetString()! : at.GetRawText()));
            return;
        }
        var number = new PlainValue(PlainKind.Number, at.GetRawText());
        values.Add(number);
        if (number.IsBeyondDouble)
            values.Add(new PlainValue(PlainKind.Text, number.Text));
    }
}
