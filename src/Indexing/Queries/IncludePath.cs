using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Jackdaw.Indexing.Queries;

/// <summary>
/// Where in a document the ids of related documents stand, as <c>include</c> of a query and <c>include=</c> of a document request
/// say it. Immutable.
/// <list type="table">
/// <item><term><c>supplierId</c>, <c>address.cityId</c></term><description>a property, and one inside an object</description></item>
/// <item><term><c>items[].productId</c>, <c>tags[]</c>, <c>items[0].id</c></term><description>in each element of an array (the
/// brackets may be left out), or in one</description></item>
/// <item><term><c>byKey.$Keys</c>, <c>byKey.$Values.id</c></term><description>the names, or the values, of an object's
/// properties</description></item>
/// <item><term><c>employee(employees/)</c></term><description>the value with a prefix before it</description></item>
/// <item><term><c>employee[employees/{0}-A]</c></term><description>the value in the place of <c>{0}</c></description></item>
/// </list>
/// </summary>
public sealed class IncludePath
{
    private const string Placeholder = "{0}";

    private readonly JsonFieldPath _path;

    private readonly string _before;

    private readonly string _after;

    private IncludePath(string text, JsonFieldPath path, string before = "", string after = "")
    {
        Text = text;
        _path = path;
        _before = before;
        _after = after;
    }

    /// <summary>The path as it was written.</summary>
    public string Text { get; }

    /// <summary>Reads a path. Every text is one; a path that leads nowhere finds nothing.</summary>
    public static IncludePath Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        if (text.EndsWith(')') && text.LastIndexOf('(') is > 0 and var open)
            return new IncludePath(text, ParseSteps(text[..open]), before: text[(open + 1)..^1]);

        if (text.EndsWith(']') && text.IndexOf('[', StringComparison.Ordinal) > 0)
        {
            var bracket = text.LastIndexOf('[');
            var format = text[(bracket + 1)..^1];
            if (format.IndexOf(Placeholder, StringComparison.Ordinal) is >= 0 and var at)
                return new IncludePath(text, ParseSteps(text[..bracket]), format[..at], format[(at + Placeholder.Length)..]);
        }

        return new IncludePath(text, ParseSteps(text));
    }

    /// <summary>
    /// Adds the ids that stand at this path. A text is an id as it is, a number its digits; of an array each element; null, true,
    /// false and objects are none. Ids come as often as they stand there, need not be valid and need not exist.
    /// </summary>
    /// <param name="json">The document's JSON object in UTF-8.</param>
    /// <param name="ids">Best a set that compares without case, as ids are.</param>
    /// <exception cref="JsonException">The text is not JSON.</exception>
    public void CollectIds(ReadOnlySpan<byte> json, ICollection<string> ids)
    {
        ArgumentNullException.ThrowIfNull(ids);
        var matches = new List<Range>();
        _path.Find(json, matches);
        foreach (var match in matches)
            CollectValue(json[match], ids);
    }

    /// <inheritdoc/>
    public override string ToString() => Text;

    internal static IncludePath Of(string text, IEnumerable<JsonPathSegment> segments) => new(text, new JsonFieldPath([.. segments]));

    private void CollectValue(ReadOnlySpan<byte> value, ICollection<string> ids)
    {
        var reader = new Utf8JsonReader(value, new JsonReaderOptions { MaxDepth = Documents.Limits.MaxJsonDepth + 8 });
        while (reader.Read())
        {
            switch (reader.TokenType)
            {
                case JsonTokenType.StartObject:
                    reader.Skip();
                    break;
                case JsonTokenType.String:
                    if (TryGetText(ref reader, out var id))
                        Add(id, ids);
                    break;
                case JsonTokenType.Number:
                    Add(Encoding.UTF8.GetString(reader.ValueSpan), ids);
                    break;
            }
        }
    }

    /// <summary>False for an escape of half a surrogate pair: documents may hold one, ids cannot.</summary>
    private static bool TryGetText(ref Utf8JsonReader reader, out string text)
    {
        try
        {
            text = reader.GetString()!;
            return true;
        }
        catch (InvalidOperationException)
        {
            text = "";
            return false;
        }
    }

    private void Add(string value, ICollection<string> ids)
    {
        if (value.Length > 0)
            ids.Add(_before.Length + _after.Length == 0 ? value : _before + value + _after);
    }

    private static JsonFieldPath ParseSteps(string text)
    {
        var segments = new List<JsonPathSegment>();
        foreach (var step in text.Split('.'))
        {
            var (name, subscripts) = SplitSubscripts(step);
            segments.Add(
                name switch
                {
                    "$Keys" => JsonPathSegment.Of(JsonPathSegmentKind.Keys),
                    "$Values" => JsonPathSegment.Of(JsonPathSegmentKind.Values),
                    _ => JsonPathSegment.Property(name),
                }
            );
            segments.AddRange(subscripts);
        }

        return new JsonFieldPath([.. segments]);
    }

    /// <summary>Takes <c>[]</c> and <c>[2]</c> off the end of a step; anything else in brackets is part of the name.</summary>
    private static (string Name, List<JsonPathSegment> Subscripts) SplitSubscripts(string step)
    {
        var subscripts = new List<JsonPathSegment>();
        while (step.EndsWith(']') && step.LastIndexOf('[') is > 0 and var open)
        {
            var inner = step.AsSpan(open + 1, step.Length - open - 2);
            if (inner.IsEmpty)
                subscripts.Insert(0, JsonPathSegment.Of(JsonPathSegmentKind.EachElement));
            else if (int.TryParse(inner, NumberStyles.None, CultureInfo.InvariantCulture, out var index))
                subscripts.Insert(0, JsonPathSegment.Of(JsonPathSegmentKind.ElementAt, index));
            else
                break;
            step = step[..open];
        }

        return (step, subscripts);
    }
}
