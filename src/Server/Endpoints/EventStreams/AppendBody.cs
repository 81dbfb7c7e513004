using System.Globalization;
using System.Text;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.EventStreams;

/// <summary>
/// The body of an append: <c>{"groups":[{"stream":…,"first":…,"expectedLast":…,"writer":…,"takeOver":…,"events":[…]}]}</c>, read once,
/// front to back. Members come in any order. Payloads that are JSON stay where they are in the body.
/// </summary>
internal ref struct AppendBody
{
    /// <summary>What surrounds a payload: the body's object, the array, the group, the array, the event.</summary>
    private const int OuterDepth = 5;

    private readonly ReadOnlyMemory<byte> _body;
    private readonly AppendOperation _append;
    private readonly List<ReadOnlyMemory<byte>> _tags = [];
    private Utf8JsonReader _reader;
    private int _event;
    private bool _isInEvent;

    private AppendBody(ReadOnlyMemory<byte> body, AppendOperation append)
    {
        _body = body;
        _append = append;
        _reader = new Utf8JsonReader(body.Span, new JsonReaderOptions { MaxDepth = Limits.MaxJsonDepth + OuterDepth });
    }

    /// <summary>Where the reader is, for errors: none of it is made where there is no error.</summary>
    private readonly string Place => _isInEvent ? $"{GroupPlace}.events[{_event}]" : GroupPlace;

    private readonly string GroupPlace => _append.Groups.Count == 0 ? "The append" : $"groups[{_append.Groups.Count - 1}]";

    /// <summary>Adds the body's groups to <paramref name="append"/>, which then refers to <paramref name="body"/>.</summary>
    /// <exception cref="BadRequestException">The body is not of this form; the message names the place.</exception>
    public static void Parse(ReadOnlyMemory<byte> body, AppendOperation append)
    {
        JsonBody.RequireBody(body.Span);
        JsonBody.RequireUtf8(body.Span);
        new AppendBody(body, append).Read();
    }

    private void Read()
    {
        if (!_reader.Read() || _reader.TokenType != JsonTokenType.StartObject)
            throw new BadRequestException("An append must be an object with groups.");
        while (NextMember())
        {
            if (!_reader.ValueTextEquals("groups"u8))
                throw Unknown("The append");
            BeginArray("groups", isInAppend: true);
            while (_reader.Read() && _reader.TokenType != JsonTokenType.EndArray)
                ReadGroup();
        }
        if (_reader.Read())
            throw new BadRequestException("Something follows the end of the append.");
    }

    private void ReadGroup()
    {
        var group = _append.AddGroup();
        _event = 0;
        RequireObject();
        while (NextMember())
        {
            if (_reader.ValueTextEquals("stream"u8))
                group.SetStream(Text("stream").Span);
            else if (_reader.ValueTextEquals("writer"u8))
                group.SetWriter(Text("writer").Span);
            else if (_reader.ValueTextEquals("first"u8))
                group.First = Number("first");
            else if (_reader.ValueTextEquals("expectedLast"u8))
                group.ExpectedLast = Number("expectedLast");
            else if (_reader.ValueTextEquals("takeOver"u8))
                group.TakesOver = Flag("takeOver");
            else if (_reader.ValueTextEquals("events"u8))
                ReadEvents(group);
            else
                throw Unknown();
        }
    }

    private void ReadEvents(EventGroup group)
    {
        BeginArray("events");
        for (; _reader.Read() && _reader.TokenType != JsonTokenType.EndArray; _event++)
        {
            _isInEvent = true;
            RequireObject();
            ReadEvent(group);
            _isInEvent = false;
        }
    }

    private void ReadEvent(EventGroup group)
    {
        _tags.Clear();
        var hasPayload = false;
        var isJson = false;
        ReadOnlyMemory<byte> payload = default;
        ReadOnlyMemory<byte> base64 = default;
        ReadOnlyMemory<byte> manifest = default;
        ReadOnlyMemory<byte> adapterManifest = default;
        long? ticks = null;
        long? serializer = null;
        while (NextMember())
        {
            if (_reader.ValueTextEquals("payload"u8))
            {
                RequireOnePayload(ref hasPayload);
                payload = Raw();
                isJson = true;
            }
            else if (_reader.ValueTextEquals("payloadBase64"u8))
            {
                RequireOnePayload(ref hasPayload);
                base64 = Text("payloadBase64");
            }
            else if (_reader.ValueTextEquals("manifest"u8))
                manifest = Text("manifest");
            else if (_reader.ValueTextEquals("adapterManifest"u8))
                adapterManifest = Text("adapterManifest");
            else if (_reader.ValueTextEquals("ticks"u8))
                ticks = Number("ticks");
            else if (_reader.ValueTextEquals("serializer"u8))
                serializer = Number("serializer");
            else if (_reader.ValueTextEquals("tags"u8))
                ReadTags();
            else
                throw Unknown();
        }
        if (!hasPayload)
            throw new BadRequestException($"{Place} has neither payload nor payloadBase64.");
        if (serializer is < int.MinValue or > int.MaxValue)
            throw new BadRequestException($"{Place}.serializer is {serializer}; it is a number of 32 bits.");
        group.Add(
            new NewEvent
            {
                Payload = payload,
                PayloadBase64 = base64.Span,
                IsJson = isJson,
                Serializer = (int)(serializer ?? 0),
                Ticks = ticks,
                Manifest = manifest.Span,
                AdapterManifest = adapterManifest.Span,
                Tags = _tags,
            }
        );
    }

    private void ReadTags()
    {
        BeginArray("tags");
        while (_reader.Read() && _reader.TokenType != JsonTokenType.EndArray)
        {
            if (_tags.Count == Limits.MaxEventTags)
                throw new BadRequestException($"{Place} has more tags than the limit of {Limits.MaxEventTags} (fixed).");
            _tags.Add(TextValue("tags", _tags.Count));
        }
    }

    private readonly void RequireOnePayload(ref bool hasPayload)
    {
        if (hasPayload)
            throw new BadRequestException($"{Place} has more than one payload.");
        hasPayload = true;
    }

    /// <summary>To the next member of an object; false at its end.</summary>
    /// <exception cref="BadRequestException">The member's name is no text.</exception>
    private bool NextMember()
    {
        if (!_reader.Read() || _reader.TokenType != JsonTokenType.PropertyName)
            return false;
        // Comparing a name that escapes half a surrogate pair fails.
        if (_reader.ValueIsEscaped)
            JsonBody.Text(ref _reader, $"a member of {Place}");
        return true;
    }

    private void BeginArray(string member, bool isInAppend = false)
    {
        _reader.Read();
        if (_reader.TokenType != JsonTokenType.StartArray)
            throw new BadRequestException($"{(isInAppend ? member : $"{Place}.{member}")} must be an array.");
    }

    private readonly void RequireObject()
    {
        if (_reader.TokenType != JsonTokenType.StartObject)
            throw new BadRequestException($"{Place} must be an object.");
    }

    /// <summary>A value to the letter.</summary>
    private ReadOnlyMemory<byte> Raw()
    {
        _reader.Read();
        var start = (int)_reader.TokenStartIndex;
        _reader.Skip();
        return _body[start..(int)_reader.BytesConsumed];
    }

    private ReadOnlyMemory<byte> Text(string member)
    {
        _reader.Read();
        return TextValue(member, item: null);
    }

    private ReadOnlyMemory<byte> TextValue(string member, int? item)
    {
        if (_reader.TokenType == JsonTokenType.Null && item is null)
            return default;
        if (_reader.TokenType != JsonTokenType.String)
            throw new BadRequestException($"{Named(member, item)} must be a text.");
        if (!_reader.ValueIsEscaped)
            return _body.Slice((int)_reader.TokenStartIndex + 1, _reader.ValueSpan.Length);
        return Encoding.UTF8.GetBytes(JsonBody.Text(ref _reader, Named(member, item)));
    }

    private readonly string Named(string member, int? item) => item is null ? $"{Place}.{member}" : $"{Place}.{member}[{item}]";

    /// <summary>A whole number, as a number or, since many are beyond 2^53, as a text; null: none.</summary>
    private long? Number(string member)
    {
        _reader.Read();
        if (_reader.TokenType == JsonTokenType.Null)
            return null;
        if (_reader.TokenType == JsonTokenType.Number && _reader.TryGetInt64(out var number))
            return number;
        if (
            _reader.TokenType == JsonTokenType.String
            && long.TryParse(_reader.ValueSpan, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out number)
        )
            return number;
        throw new BadRequestException(
            $"{Place}.{member} must be a whole number between {long.MinValue} and {long.MaxValue}, "
                + $"not {Encoding.UTF8.GetString(_reader.ValueSpan)}."
        );
    }

    private bool Flag(string member)
    {
        _reader.Read();
        return _reader.TokenType switch
        {
            JsonTokenType.True => true,
            JsonTokenType.False or JsonTokenType.Null => false,
            _ => throw new BadRequestException($"{Place}.{member} must be true or false."),
        };
    }

    private BadRequestException Unknown(string? place = null) =>
        new($"{place ?? Place} has the unknown member '{JsonBody.Text(ref _reader, $"a member of {place ?? Place}")}'.");
}
