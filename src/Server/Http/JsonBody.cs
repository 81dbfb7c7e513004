using System.Buffers;
using System.Text;
using System.Text.Json;
using System.Text.Unicode;

namespace Jackdaw.Server.Http;

/// <summary>
/// Parses bodies whose texts become strings. JSON allows an escape of half a surrogate pair, which no string of Unicode text can hold; in a
/// document it is kept as it was sent, here it is a bad request. The parser of JSON looks at tokens only: bytes that are not
/// UTF-8 would come to
/// light when a text becomes a string, as an error of the program.
/// </summary>
internal static class JsonBody
{
    private static readonly UTF8Encoding s_strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <exception cref="JsonException">The body is not JSON.</exception>
    /// <exception cref="BadRequestException">It is not UTF-8, or a text or name in it holds half a surrogate pair.</exception>
    public static JsonDocument Parse(ReadOnlyMemory<byte> utf8)
    {
        RequireBody(utf8.Span);
        RequireUtf8(utf8.Span);
        var document = JsonDocument.Parse(utf8);
        try
        {
            // Only an escape can bring one about: half a pair in three bytes of its own is not UTF-8.
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

    /// <summary>Refuses a body of nothing but white space, of which the parser would speak in its own terms.</summary>
    /// <exception cref="BadRequestException">It is empty.</exception>
    public static void RequireBody(ReadOnlySpan<byte> utf8)
    {
        if (utf8.TrimStart(" \t\r\n"u8).IsEmpty)
            throw new BadRequestException("The request has no body, and a JSON object is expected.");
    }

    /// <summary>Refuses bytes that are not UTF-8, naming the first.</summary>
    /// <exception cref="BadRequestException">They are not.</exception>
    public static void RequireUtf8(ReadOnlySpan<byte> utf8)
    {
        if (Utf8.IsValid(utf8))
            return;
        try
        {
            s_strict.GetCharCount(utf8);
        }
        catch (DecoderFallbackException e)
        {
            throw new BadRequestException($"The body is not UTF-8: byte {e.Index:N0} (0x{utf8[e.Index]:x2}) belongs to no character.");
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
            if (!Utf8.IsValid(reader.ValueSpan))
                throw new BadRequestException($"{Capital(what)} is not UTF-8.", e);
            throw HalfPair(what, e);
        }
    }

    /// <summary>Refuses an element with a name or text that no string can hold.</summary>
    /// <exception cref="BadRequestException">It has one.</exception>
    public static void RequireText(JsonElement element)
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
        new(
            $"{Capital(what)} holds an escape of half a surrogate pair (\\ud800 to \\udfff without its other half), which is no text.",
            cause
        );

    private static string Capital(string what) => char.ToUpperInvariant(what[0]) + what[1..];
}
