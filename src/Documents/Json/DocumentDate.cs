using System.Text;
using System.Text.Json;
using Jackdaw.Documents.Errors;

namespace Jackdaw.Documents.Json;

/// <summary>The value of <c>@expires</c> or <c>@refresh</c> in a document's metadata.</summary>
internal static class DocumentDate
{
    /// <summary>A longer text is no date, whatever is in it.</summary>
    private const int MaxTextBytes = 64;

    /// <summary>Reads the value of the member whose name the reader stands on. Returns UTC ticks; null for null.</summary>
    /// <exception cref="InvalidDocumentException">The value is no date.</exception>
    public static long? Read(ref Utf8JsonReader reader, string member)
    {
        reader.Read();
        if (reader.TokenType == JsonTokenType.Null)
            return null;
        if (reader.TokenType != JsonTokenType.String)
            throw Invalid(member, DocumentSplitter.Describe(reader.TokenType));
        // One character can be written as six bytes.
        if (reader.ValueSpan.Length <= 6 * MaxTextBytes)
        {
            Span<byte> text = stackalloc byte[6 * MaxTextBytes];
            if (ProtocolDate.TryParse(text[..Unescape(in reader, text)], out long ticks))
                return ticks;
        }
        var shown = reader.ValueSpan;
        bool isLong = shown.Length > MaxTextBytes;
        throw Invalid(member, $"'{ShownText.Of(Encoding.UTF8.GetString(isLong ? shown[..MaxTextBytes] : shown))}{(isLong ? "…" : "")}'");
    }

    /// <summary>Nothing for a text that is not valid: it is no date.</summary>
    private static int Unescape(ref readonly Utf8JsonReader reader, scoped Span<byte> destination)
    {
        try
        {
            return reader.CopyString(destination);
        }
        catch (InvalidOperationException)
        {
            return 0;
        }
    }

    private static InvalidDocumentException Invalid(string member, string value) =>
        new(
            $"{member} must be a date and time in UTC, such as \"2026-11-22T21:57:53.1234567Z\", or null, and this is {value}. "
                + "The document was not stored."
        );
}
