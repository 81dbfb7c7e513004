using System.Text.Json;
using Jackdaw.Server.Errors;

namespace Jackdaw.Server.Parsing;

/// <summary>
/// Parses bodies whose texts become strings. JSON allows an escape of half a surrogate pair, which no string of Unicode text can hold; in a
/// document it is kept as it was sent, here it is a bad request.
/// </summary>
internal static class JsonBody
{
    /// <exception cref="JsonException">The body is not JSON.</exception>
    /// <exception cref="BadRequestException">A text or name in it holds half a surrogate pair.</exception>
    public static JsonDocument Parse(ReadOnlyMemory<byte> utf8)
    {
        var document = JsonDocument.Parse(utf8);
        try
        {
            // Only an escape can bring one about: UTF-8 with one in it is not UTF-8, and refused by the parser.
            if (utf8.Span.IndexOf("\\ud"u8) >= 0 || utf8.Span.IndexOf("\\uD"u8) >= 0)
                RequireText(document.RootElement);
            return document;
        }
        catch
        {
            document.Dispose();
            throw;
        }
    }

    /// <summary>The text of the string token that the reader is on.</summary>
    /// <param name="reader">On a string.</param>
    /// <param name="what">Names the value in the refusal, e.g. "the Id of a command".</param>
    public static string Text(ref Utf8JsonReader reader, string what)
    {
        try
        {
            return reader.GetString()!;
        }
        catch (InvalidOperationException e)
        {
            throw HalfPair(what, e);
        }
    }

    private static void RequireText(JsonElement element)
    {
        switch (element.ValueKind)
        {
            case JsonValueKind.Object:
                foreach (var property in element.EnumerateObject())
                {
                    Require(property, static p => p.Name);
                    RequireText(property.Value);
                }
                break;
            case JsonValueKind.Array:
                foreach (var item in element.EnumerateArray())
                    RequireText(item);
                break;
            case JsonValueKind.String:
                Require(element, static e => e.GetString());
                break;
        }
    }

    private static void Require<T>(T value, Func<T, string?> read)
    {
        try
        {
            read(value);
        }
        catch (InvalidOperationException e)
        {
            throw HalfPair("a text in the body", e);
        }
    }

    private static BadRequestException HalfPair(string what, Exception cause) =>
        new($"{char.ToUpperInvariant(what[0])}{what[1..]} holds an escape of half a surrogate pair (\\ud800 to \\udfff without its other half), which is no text.", cause);
}
