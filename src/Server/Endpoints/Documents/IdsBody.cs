using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Documents;

/// <summary>The body of <c>POST /docs</c>: <c>{"Ids":["a","b"]}</c>. Read without a model of it, because a body may be large.</summary>
internal static class IdsBody
{
    private static readonly JsonReaderOptions s_options = new() { MaxDepth = Limits.MaxJsonDepth };

    /// <exception cref="JsonException">The body is not JSON.</exception>
    /// <exception cref="BadRequestException">Not of this form, or with more ids than a request may ask for.</exception>
    public static List<string> Parse(ReadOnlyMemory<byte> utf8)
    {
        JsonBody.RequireBody(utf8.Span);
        JsonBody.RequireUtf8(utf8.Span);
        var reader = new Utf8JsonReader(utf8.Span, s_options);
        List<string>? ids = null;
        if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
            throw NotOfThisForm();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var isIds = reader.ValueTextEquals("Ids"u8);
            reader.Read();
            if (isIds)
                ids = ParseIds(ref reader);
            else
                reader.Skip();
        }
        // What follows the object is refused, too.
        reader.Read();
        return ids ?? throw NotOfThisForm();
    }

    private static List<string> ParseIds(ref Utf8JsonReader reader)
    {
        if (reader.TokenType != JsonTokenType.StartArray)
            throw NotOfThisForm();
        var ids = new List<string>();
        var memory = new IdMemory();
        while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
        {
            var id = reader.TokenType switch
            {
                JsonTokenType.String => JsonBody.Text(ref reader, "an id"),
                JsonTokenType.Null => "",
                _ => throw new BadRequestException("Ids must be an array of strings."),
            };
            if (!memory.TryAdd(id))
                throw memory.Refusal("The request asks for");
            ids.Add(id);
        }
        return ids;
    }

    private static BadRequestException NotOfThisForm() => new("The body must be an object with an array Ids.");
}
