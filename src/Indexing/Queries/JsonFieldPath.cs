using System.Text.Json;

namespace Jackdaw.Indexing.Queries;

/// <summary>
/// Finds the values that a path leads to in the UTF-8 text of a JSON object, in one forward scan and without building a document.
/// Property names are compared exactly. A property is also looked for in each object of an array that stands where an object was meant.
/// </summary>
internal sealed class JsonFieldPath(JsonPathSegment[] segments)
{
    /// <summary>Above what a stored document may nest, so that no stored document is refused here.</summary>
    private static readonly JsonReaderOptions _options = new() { MaxDepth = Documents.Limits.MaxJsonDepth + 8 };

    public IReadOnlyList<JsonPathSegment> Segments => segments;

    /// <summary>Adds the range of each value found, in the order of the text, to <paramref name="matches"/>.</summary>
    /// <returns>Whether the path went through the elements of an array, so that the matches are many by nature.</returns>
    /// <exception cref="JsonException">The text is not JSON.</exception>
    public bool Find(ReadOnlySpan<byte> json, List<Range> matches)
    {
        var reader = new Utf8JsonReader(json, _options);
        var throughArray = false;
        if (reader.Read())
            Visit(ref reader, 0, matches, ref throughArray);
        return throughArray;
    }

    /// <summary>Returns the number of elements of an array.</summary>
    /// <exception cref="JsonException">The text is not JSON.</exception>
    public static int ElementCount(ReadOnlySpan<byte> array)
    {
        var reader = new Utf8JsonReader(array, _options);
        reader.Read();
        var count = 0;
        while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
        {
            reader.Skip();
            count++;
        }
        return count;
    }

    /// <summary>Takes the value whose first token the reader stands on; leaves the reader on its last.</summary>
    private void Visit(ref Utf8JsonReader reader, int depth, List<Range> matches, ref bool throughArray)
    {
        if (depth == segments.Length)
        {
            var start = (int)reader.TokenStartIndex;
            reader.Skip();
            matches.Add(start..(int)reader.BytesConsumed);
        }
        else if (reader.TokenType == JsonTokenType.StartArray)
            VisitElements(ref reader, depth, matches, ref throughArray);
        else if (reader.TokenType == JsonTokenType.StartObject)
            VisitProperties(ref reader, depth, matches, ref throughArray);
    }

    private void VisitElements(ref Utf8JsonReader reader, int depth, List<Range> matches, ref bool throughArray)
    {
        var segment = segments[depth];
        if (segment.Kind != JsonPathSegmentKind.ElementAt)
            throughArray = true;

        for (var i = 0; reader.Read() && reader.TokenType != JsonTokenType.EndArray; i++)
        {
            if (segment.Kind == JsonPathSegmentKind.EachElement || (segment.Kind == JsonPathSegmentKind.ElementAt && segment.Index == i))
                Visit(ref reader, depth + 1, matches, ref throughArray);
            else if (segment.Kind == JsonPathSegmentKind.ElementAt)
                reader.Skip();
            else
                Visit(ref reader, depth, matches, ref throughArray);
        }
    }

    private void VisitProperties(ref Utf8JsonReader reader, int depth, List<Range> matches, ref bool throughArray)
    {
        var segment = segments[depth];
        while (reader.Read() && reader.TokenType != JsonTokenType.EndObject)
        {
            var follow =
                segment.Kind == JsonPathSegmentKind.Values
                || (segment.Kind == JsonPathSegmentKind.Property && reader.ValueTextEquals(segment.Name));
            if (segment.Kind == JsonPathSegmentKind.Keys)
            {
                // The name with its quotes is the text of a JSON string, like any other match.
                var start = (int)reader.TokenStartIndex;
                matches.Add(start..(start + reader.ValueSpan.Length + 2));
            }

            reader.Read();
            if (follow)
                Visit(ref reader, depth + 1, matches, ref throughArray);
            else
                reader.Skip();
        }
    }
}
