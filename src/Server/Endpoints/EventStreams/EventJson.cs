using System.Buffers.Text;
using System.Globalization;
using System.Text.Json;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.EventStreams;

/// <summary>An event as answers show it.</summary>
internal static class EventJson
{
    /// <summary>Bytes encoded at once; a multiple of three, so that no padding comes in between.</summary>
    private const int Base64Piece = 48 * 1024;

    /// <summary>Writes one event at the end of the answer.</summary>
    /// <param name="request">The request.</param>
    /// <param name="stored">The event.</param>
    /// <param name="onOneLine">Line ends between the tokens of its payload become spaces.</param>
    public static void Write(RequestContext request, in StoredEvent stored, bool onOneLine = false)
    {
        var json = request.Json();
        json.WriteStartObject();
        json.WriteNumber("position"u8, stored.Position);
        json.WriteString("stream"u8, stored.StreamId);
        json.WriteNumber("number"u8, stored.Number);
        WriteTicks(json, stored.Ticks);
        WriteText(json, "writer"u8, stored.Writer);
        if (stored.Serializer != 0)
            json.WriteNumber("serializer"u8, stored.Serializer);
        WriteText(json, "manifest"u8, stored.Manifest);
        WriteText(json, "adapterManifest"u8, stored.AdapterManifest);
        if (stored.TagCount > 0)
        {
            json.WriteStartArray("tags"u8);
            for (var i = 0; i < stored.TagCount; i++)
                json.WriteStringValue(stored.Tag(i));
            json.WriteEndArray();
        }
        json.Flush();
        var response = request.Response;
        if (stored.IsJson)
        {
            response.Write(",\"payload\":"u8);
            if (onOneLine)
                WriteOnOneLine(response, stored.Payload);
            else
                response.Write(stored.Payload);
            response.Write("}"u8);
            return;
        }
        response.Write(",\"payloadBase64\":\""u8);
        for (var rest = stored.Payload; !rest.IsEmpty; )
        {
            var piece = rest[..Math.Min(rest.Length, Base64Piece)];
            var room = response.GetSpan(Base64.GetMaxEncodedToUtf8Length(piece.Length));
            Base64.EncodeToUtf8(piece, room, out _, out var written);
            response.Advance(written);
            rest = rest[piece.Length..];
        }
        response.Write("\"}"u8);
    }

    /// <summary>In JSON line ends stand only between tokens: in texts they are escaped.</summary>
    private static void WriteOnOneLine(ResponseBuffer response, ReadOnlySpan<byte> json)
    {
        for (int end; (end = json.IndexOfAny((byte)'\n', (byte)'\r')) >= 0; json = json[(end + 1)..])
        {
            response.Write(json[..end]);
            response.Write((byte)' ');
        }
        response.Write(json);
    }

    /// <summary>As a text: they are beyond 2^53.</summary>
    private static void WriteTicks(Utf8JsonWriter json, long ticks)
    {
        Span<byte> text = stackalloc byte[20];
        ticks.TryFormat(text, out var length, default, CultureInfo.InvariantCulture);
        json.WriteString("ticks"u8, text[..length]);
    }

    private static void WriteText(Utf8JsonWriter json, ReadOnlySpan<byte> name, ReadOnlySpan<byte> text)
    {
        if (!text.IsEmpty)
            json.WriteString(name, text);
    }
}
