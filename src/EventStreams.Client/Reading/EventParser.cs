using System.Globalization;
using System.Text.Json;

namespace Jackdaw.EventStreams.Client.Reading;

/// <summary>Reads one event of an answer.</summary>
internal ref struct EventParser(RepeatedTexts texts, ReadOnlySpan<byte> input)
{
    private readonly ReadOnlySpan<byte> _input = input;
    private long _position;
    private string _stream = "";
    private long _number;
    private long _ticks;
    private string _writer = "";
    private int _serializer;
    private string _manifest = "";
    private string _adapterManifest = "";
    private string[] _tags = [];
    private byte[]? _payload;

    /// <summary>Reads members up to the object's end; false when it is not whole yet.</summary>
    /// <exception cref="JsonException">It is no event.</exception>
    public bool TryRead(ref Utf8JsonReader json)
    {
        if (json.TokenType != JsonTokenType.StartObject)
            throw new JsonException("An event is no object.");
        while (json.Read())
        {
            if (json.TokenType == JsonTokenType.EndObject)
                return true;
            if (!TryReadMember(ref json))
                return false;
        }
        return false;
    }

    public readonly StoredEvent Event() =>
        new()
        {
            Position = _position,
            Stream = _stream,
            Number = _number,
            Ticks = _ticks,
            Writer = _writer,
            Serializer = _serializer,
            Manifest = _manifest,
            AdapterManifest = _adapterManifest,
            Tags = _tags,
            Payload = _payload ?? throw new JsonException($"Event {_number} of stream '{_stream}' has no payload."),
        };

    private bool TryReadMember(ref Utf8JsonReader json)
    {
        if (json.ValueTextEquals("payload"u8))
            return TryReadJson(ref json);
        if (json.ValueTextEquals("tags"u8))
            return TryReadTags(ref json);
        // The name is gone once the value is read.
        var member = Name(ref json);
        if (!json.Read())
            return false;
        switch (member)
        {
            case Member.Position:
                _position = json.GetInt64();
                break;
            case Member.Stream:
                _stream = texts.Stream(ref json);
                break;
            case Member.Number:
                _number = json.GetInt64();
                break;
            case Member.Ticks:
                _ticks = long.Parse(json.GetString()!, CultureInfo.InvariantCulture);
                break;
            case Member.Writer:
                _writer = texts.Writer(ref json);
                break;
            case Member.Serializer:
                _serializer = json.GetInt32();
                break;
            case Member.Manifest:
                _manifest = texts.Manifest(ref json);
                break;
            case Member.AdapterManifest:
                _adapterManifest = texts.AdapterManifest(ref json);
                break;
            case Member.PayloadBase64:
                _payload = json.GetBytesFromBase64();
                break;
            default:
                return json.TrySkip();
        }
        return true;
    }

    private enum Member
    {
        Unknown,
        Position,
        Stream,
        Number,
        Ticks,
        Writer,
        Serializer,
        Manifest,
        AdapterManifest,
        PayloadBase64,
    }

    private static Member Name(ref Utf8JsonReader json)
    {
        if (json.ValueTextEquals("position"u8))
            return Member.Position;
        if (json.ValueTextEquals("stream"u8))
            return Member.Stream;
        if (json.ValueTextEquals("number"u8))
            return Member.Number;
        if (json.ValueTextEquals("ticks"u8))
            return Member.Ticks;
        if (json.ValueTextEquals("writer"u8))
            return Member.Writer;
        if (json.ValueTextEquals("serializer"u8))
            return Member.Serializer;
        if (json.ValueTextEquals("manifest"u8))
            return Member.Manifest;
        if (json.ValueTextEquals("adapterManifest"u8))
            return Member.AdapterManifest;
        return json.ValueTextEquals("payloadBase64"u8) ? Member.PayloadBase64 : Member.Unknown;
    }

    /// <summary>A payload to the letter.</summary>
    private bool TryReadJson(ref Utf8JsonReader json)
    {
        if (!json.Read())
            return false;
        var start = (int)json.TokenStartIndex;
        if (!json.TrySkip())
            return false;
        _payload = _input[start..(int)json.BytesConsumed].ToArray();
        return true;
    }

    private bool TryReadTags(ref Utf8JsonReader json)
    {
        var tags = new List<string>();
        if (!json.Read())
            return false;
        while (json.Read())
        {
            if (json.TokenType == JsonTokenType.EndArray)
            {
                _tags = [.. tags];
                return true;
            }
            tags.Add(json.GetString()!);
        }
        return false;
    }
}
