using System.Buffers;
using System.Text.Json;
using Jackdaw.EventStreams.Client.Repeating;

namespace Jackdaw.EventStreams.Client.Reading;

/// <summary>
/// An answer with events, parsed while it arrives: memory holds one event and what came with it, whatever the answer's size.
/// </summary>
internal sealed class EventAnswer(Stream stream, Attempt attempt, TimeSpan patience) : IDisposable
{
    private const int FirstBufferBytes = 64 * 1024;
    private readonly RepeatedTexts _texts = new();
    private byte[] _buffer = ArrayPool<byte>.Shared.Rent(FirstBufferBytes);
    private int _start;
    private int _end;
    private bool _isComplete;
    private Place _place;
    private JsonReaderState _state = new(new JsonReaderOptions { MaxDepth = ClientLimits.MaxAnswerDepth });

    private enum Place
    {
        Head,
        Events,
        Tail,
        End,
    }

    /// <summary>Known once the first event, or the end, has been reached.</summary>
    public string DatabaseId { get; private set; } = "";

    /// <summary>As <see cref="DatabaseId"/>.</summary>
    public long Durable { get; private set; }

    /// <summary>Known at the end.</summary>
    public bool IsEnd { get; private set; }

    /// <summary>The next event if all of it has arrived; null: it has not, or there is none.</summary>
    /// <exception cref="JsonException">It is no such answer.</exception>
    public StoredEvent? Arrived() => Parse();

    /// <summary>The next event; null at the end.</summary>
    /// <exception cref="JsonException">It is no such answer.</exception>
    /// <exception cref="IOException">The connection was lost.</exception>
    public async ValueTask<StoredEvent?> ReadAsync()
    {
        while (true)
        {
            var parsed = Parse();
            if (parsed is not null)
                return parsed;
            if (_place == Place.End)
                return null;
            if (_isComplete)
                throw new IOException("The answer ended before its last event.");
            await FillAsync();
        }
    }

    public void Dispose()
    {
        if (_buffer.Length > 0)
            ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = [];
    }

    private async ValueTask FillAsync()
    {
        if (_start > 0)
        {
            _buffer.AsSpan(_start, _end - _start).CopyTo(_buffer);
            (_start, _end) = (0, _end - _start);
        }
        if (_end == _buffer.Length)
        {
            var larger = ArrayPool<byte>.Shared.Rent(_buffer.Length * 2);
            _buffer.AsSpan(0, _end).CopyTo(larger);
            ArrayPool<byte>.Shared.Return(_buffer);
            _buffer = larger;
        }
        // The time between reads is the consumer's.
        attempt.Renew(patience);
        var read = await stream.ReadAsync(_buffer.AsMemory(_end), attempt.Token);
        attempt.Renew(Timeout.InfiniteTimeSpan);
        _isComplete = read == 0;
        _end += read;
    }

    /// <summary>One step as far as what is here reaches. Null: more is needed, or the end was reached.</summary>
    private StoredEvent? Parse()
    {
        while (_place != Place.End)
        {
            var json = new Utf8JsonReader(_buffer.AsSpan(_start, _end - _start), _isComplete, _state);
            StoredEvent? parsed = null;
            var isWhole = _place switch
            {
                Place.Head => ReadHead(ref json),
                Place.Events => ReadEvent(ref json, out parsed),
                _ => ReadTail(ref json),
            };
            if (!isWhole)
                return null;
            _start += (int)json.BytesConsumed;
            _state = json.CurrentState;
            if (parsed is not null)
                return parsed;
        }
        return null;
    }

    private bool ReadHead(ref Utf8JsonReader json)
    {
        if (!json.Read())
            return false;
        if (json.TokenType != JsonTokenType.StartObject)
            throw new JsonException("The answer is no object.");
        while (json.Read())
        {
            if (json.ValueTextEquals("events"u8))
            {
                if (!json.Read())
                    return false;
                if (json.TokenType != JsonTokenType.StartArray)
                    throw new JsonException("The events are no array.");
                _place = Place.Events;
                return true;
            }
            var isId = json.ValueTextEquals("databaseId"u8);
            var isDurable = json.ValueTextEquals("durable"u8);
            if (!json.TrySkip())
                return false;
            if (isId)
                DatabaseId = json.GetString() ?? "";
            else if (isDurable)
                Durable = json.GetInt64();
        }
        return false;
    }

    private bool ReadTail(ref Utf8JsonReader json)
    {
        while (json.Read())
        {
            if (json.TokenType == JsonTokenType.EndObject)
            {
                _place = Place.End;
                return true;
            }
            var isEnd = json.ValueTextEquals("isEnd"u8);
            if (!json.TrySkip())
                return false;
            if (isEnd)
                IsEnd = json.GetBoolean();
        }
        return false;
    }

    private bool ReadEvent(ref Utf8JsonReader json, out StoredEvent? read)
    {
        read = null;
        if (!json.Read())
            return false;
        if (json.TokenType == JsonTokenType.EndArray)
        {
            _place = Place.Tail;
            return true;
        }
        var parser = new EventParser(_texts, _buffer.AsSpan(_start, _end - _start));
        if (!parser.TryRead(ref json))
            return false;
        read = parser.Event();
        return true;
    }
}
