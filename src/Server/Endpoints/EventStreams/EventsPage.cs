using System.Globalization;
using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.EventStreams;

/// <summary>
/// Answers with events: of a stream by number, or of all streams or with some tags by position. A long answer is read in several short
/// read transactions, each going on after the last event of the one before.
/// </summary>
internal sealed class EventsPage
{
    /// <summary>The first piece is small, so that the client has something to do while the next ones are read.</summary>
    private const int FirstPieceBytes = 16 * 1024;

    private const int LastPieceBytes = 256 * 1024;

    private readonly RequestContext _request;
    private readonly Database _database;
    private readonly string _purpose;
    private readonly Func<EventStreamsReader, EventsPage, EventCursor?> _open;
    private readonly Func<EventCursor, long> _place;
    private readonly long _upTo;
    private long _toTake;
    private int _pieceBytes = FirstPieceBytes;
    private bool _hasBegun;
    private bool _isFirst = true;
    private bool _isEnd;

    /// <param name="request">The request.</param>
    /// <param name="open">Opens a cursor after <see cref="Last"/>.</param>
    /// <param name="place">The place of the event that a cursor stands on.</param>
    /// <param name="upTo">The last position that is wanted.</param>
    private EventsPage(
        RequestContext request,
        Func<EventStreamsReader, EventsPage, EventCursor?> open,
        Func<EventCursor, long> place,
        long upTo
    )
    {
        _request = request;
        _database = request.Database();
        _purpose = "GET " + request.Request.Path;
        _open = open;
        _place = place;
        _upTo = upTo;
        _toTake = request.Query.NonNegative("max", Limits.DefaultEventsPerAnswer);
    }

    /// <summary>The place of the last event that was looked at; null: of none yet.</summary>
    private long? Last { get; set; }

    public static Task SendStreamAsync(RequestContext request)
    {
        var id = EventStreamsEndpoints.StreamId(request);
        var from = request.Query.NonNegative("from", 1);
        var to = request.Query.NonNegative("to", long.MaxValue);
        var isBackward = request.Query.Flag("backward");
        return new EventsPage(request, Open, static cursor => cursor.Current.Number, long.MaxValue).SendAsync();

        EventCursor? Open(EventStreamsReader events, EventsPage page)
        {
            if (!events.TryGetStream(id, out var stream))
                return null;
            if (page.Last is not { } last)
                return events.OpenStream(stream, from, to, isBackward);
            if (isBackward)
                return events.OpenStream(stream, from, last - 1, isBackward);
            return last == long.MaxValue ? null : events.OpenStream(stream, last + 1, to, isBackward);
        }
    }

    public static Task SendAllAsync(RequestContext request)
    {
        var after = request.Query.NonNegative("after", 0);
        return ByPosition(request, (events, page) => events.OpenAll(page.Last ?? after));
    }

    public static Task SendTaggedAsync(RequestContext request)
    {
        var after = request.Query.NonNegative("after", 0);
        var tags = request.Query.All("tag");
        if (tags.Count == 0 || tags.Contains(""))
            throw new BadRequestException("The parameter 'tag' is missing or empty.");
        if (tags.Count > Limits.MaxEventTags)
            throw new BadRequestException($"The request names {tags.Count:N0} tags; the limit is {Limits.MaxEventTags} (fixed).");
        byte[][] texts = [.. tags.Select(tag => EventStreamsEndpoints.Text(tag, "tag"))];
        return ByPosition(request, (events, page) => events.OpenTagged(texts, page.Last ?? after));
    }

    private static Task ByPosition(RequestContext request, Func<EventStreamsReader, EventsPage, EventCursor?> open) =>
        new EventsPage(request, open, static cursor => cursor.Position, request.Query.NonNegative("upTo", long.MaxValue)).SendAsync();

    private async Task SendAsync()
    {
        while (true)
        {
            using (var reader = _database.OpenRead(_purpose))
            using (var events = new EventStreamsReader(reader))
            {
                if (!_hasBegun)
                    Begin(reader.LastEtag);
                Read(events, () => reader.IsDue);
            }
            if (_isEnd || _toTake == 0)
                break;
            await _request.GoOnAsync(_pieceBytes);
            _pieceBytes = Math.Min(_pieceBytes * 2, LastPieceBytes);
        }
        _request.Response.Write(_isEnd ? "],\"isEnd\":true}"u8 : "],\"isEnd\":false}"u8);
        await _request.EndPiecesAsync();
    }

    private void Begin(long durable)
    {
        _hasBegun = true;
        _request.Response.Write(
            Encoding.ASCII.GetBytes(
                string.Create(CultureInfo.InvariantCulture, $"{{\"databaseId\":\"{_database.IdText}\",\"durable\":{durable},\"events\":[")
            )
        );
    }

    private void Read(EventStreamsReader events, Func<bool> isDue)
    {
        var cursor = _open(events, this);
        while (_toTake > 0 && !_isEnd)
        {
            if (isDue() || _request.Response.Length >= _pieceBytes)
                return;
            if (cursor?.MoveNext() != true || cursor.Position > _upTo)
            {
                _isEnd = true;
                return;
            }
            Last = _place(cursor);
            if (cursor.IsDeleted)
                continue;
            if (!_isFirst)
                _request.Response.Write(","u8);
            _isFirst = false;
            EventJson.Write(_request, cursor.Current);
            _toTake--;
        }
    }
}
