using System.Text.Json;

namespace Jackdaw.Functions.CustomHandler.Invoking;

/// <summary>Groups the messages of a batch: two handlers of one subject at once would only make each other read again.</summary>
internal static class Subjects
{
    /// <summary>Groups messages by the CloudEvent's subject, without regard to case, each group in the order of the batch. Bytes that
    /// are no CloudEvent are a group each.</summary>
    public static IReadOnlyList<IReadOnlyList<ReadOnlyMemory<byte>>> Group(IReadOnlyList<ReadOnlyMemory<byte>> bodies)
    {
        if (bodies.Count <= 1)
            return [.. bodies.Select(body => (IReadOnlyList<ReadOnlyMemory<byte>>)[body])];
        return
        [
            .. bodies
                .Select((body, index) => (Body: body, Key: Of(body) is { } subject ? $"s{subject}" : $"n{index}"))
                .GroupBy(one => one.Key, one => one.Body, StringComparer.OrdinalIgnoreCase)
                .Select(group => (IReadOnlyList<ReadOnlyMemory<byte>>)[.. group]),
        ];
    }

    private static string? Of(ReadOnlyMemory<byte> body)
    {
        var reader = new Utf8JsonReader(body.Span, new JsonReaderOptions { MaxDepth = 512 });
        try
        {
            if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
                return null;
            while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
            {
                var isSubject = reader.ValueTextEquals("subject"u8);
                reader.Read();
                if (isSubject)
                    return reader.TokenType == JsonTokenType.String ? reader.GetString() : null;
                reader.Skip();
            }
            return null;
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            return null;
        }
    }
}
