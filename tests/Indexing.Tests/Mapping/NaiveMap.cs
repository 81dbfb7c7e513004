using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Mapping;

namespace Jackdaw.Indexing.Tests.Mapping;

/// <summary>The values at a path, found in a parsed document one path at a time, as docs/indexing.md, "Automatic maps", has them.</summary>
internal sealed class NaiveMap(IReadOnlyList<FieldPathStep> path)
{
    private readonly List<string> _values = [];
    private bool _sawEmptyArray;

    public static IReadOnlyList<string> Values(JsonElement document, string path)
    {
        var map = new NaiveMap(FieldPath.Parse(path));
        map.Enter(document, 0);
        if (map._values.Count == 0 && map._sawEmptyArray)
            map._values.Add(ListedValues.EmptyArray);
        return map._values;
    }

    /// <summary>What is between the quotes of a JSON string, as text that UTF-8 can hold.</summary>
    private static string Unescape(ReadOnlySpan<byte> raw)
    {
        string escaped = Encoding.UTF8.GetString(raw);
        var text = new StringBuilder();
        for (int i = 0; i < escaped.Length; i++)
        {
            if (escaped[i] != '\\')
            {
                text.Append(escaped[i]);
                continue;
            }
            i++;
            if (escaped[i] == 'u')
            {
                text.Append((char)int.Parse(escaped.AsSpan(i + 1, 4), NumberStyles.HexNumber, CultureInfo.InvariantCulture));
                i += 4;
                continue;
            }
            int named = "bfnrt".IndexOf(escaped[i], StringComparison.Ordinal);
            text.Append(named < 0 ? escaped[i] : "\b\f\n\r\t"[named]);
        }
        // Halves of surrogate pairs become U+FFFD.
        return Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(text.ToString()));
    }

    /// <summary>Goes into an object by a step of the path.</summary>
    private void Enter(JsonElement at, int step)
    {
        foreach (var member in at.EnumerateObject())
        {
            if (Unescape(JsonMarshal.GetRawUtf8PropertyName(member)) == path[step].Name)
                Reach(member.Value, step);
        }
    }

    /// <summary>Has a step's value.</summary>
    private void Reach(JsonElement value, int step)
    {
        bool isLast = step == path.Count - 1;
        if (value.ValueKind == JsonValueKind.Null)
            _values.Add(ListedValues.Null);
        else if (isLast && value.ValueKind != JsonValueKind.Array)
            Add(value);
        else if (value.ValueKind == JsonValueKind.Object && !path[step].IsEach)
            Enter(value, step + 1);
        else if (value.ValueKind == JsonValueKind.Array && (isLast || path[step].IsEach))
            ReachElements(value, step, isLast);
        else if (value.ValueKind == JsonValueKind.Array && IsCounted(step))
            AddCount(value);
    }

    private bool IsCounted(int step) => step + 2 == path.Count && path[step + 1] is { IsEach: false, Name: "Count" or "length" };

    private void AddCount(JsonElement array) => _values.Add(ListedValues.OfNumber(new(array.GetArrayLength())));

    private void ReachElements(JsonElement array, int step, bool isLast)
    {
        _sawEmptyArray |= array.GetArrayLength() == 0;
        foreach (var element in array.EnumerateArray())
        {
            if (element.ValueKind == JsonValueKind.Array)
            {
                ReachElements(element, step, isLast);
                if (IsCounted(step))
                    AddCount(element);
            }
            else if (element.ValueKind == JsonValueKind.Null)
                _values.Add(ListedValues.Null);
            else if (isLast)
                Add(element);
            else if (element.ValueKind == JsonValueKind.Object)
                Enter(element, step + 1);
        }
    }

    private void Add(JsonElement value)
    {
        var raw = JsonMarshal.GetRawUtf8Value(value);
        if (value.ValueKind == JsonValueKind.String)
        {
            _values.Add(ListedValues.OfText(DateTexts.Of(Unescape(raw[1..^1]))));
            return;
        }
        if (value.ValueKind != JsonValueKind.Number)
        {
            _values.Add(ListedValues.OfText(Encoding.UTF8.GetString(raw)));
            return;
        }
        bool isNumber = JsonNumbers.TryParse(raw, out var number, out bool isBeyondDouble);
        Storage.Invariant.Require(isNumber);
        _values.Add(ListedValues.OfNumber(number));
        if (isBeyondDouble)
            _values.Add(ListedValues.OfText(Encoding.UTF8.GetString(raw)));
    }
}
