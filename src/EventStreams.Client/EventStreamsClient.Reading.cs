using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Jackdaw.EventStreams.Client.Reading;
using Jackdaw.EventStreams.Client.Repeating;

namespace Jackdaw.EventStreams.Client;

/// <summary>Reading events.</summary>
public sealed partial class EventStreamsClient
{
    /// <summary>Bytes of payloads after which a page ends, so that many large events do not come into memory at once.</summary>
    private const long MaxPageBytes = 8L << 20;

    /// <summary>Tells how far a stream goes, after the appends to it that are under way in this process.</summary>
    public async Task<StreamState> HighestAsync(string stream, long began, CancellationToken cancel = default)
    {
        var (time, what) = (Time(began), $"the highest number of stream '{stream}'");
        var query = Texts.StreamQuery(stream);
        try
        {
            await _appends.WhenSettled(stream).WaitAsync(time.Left, time.Clock, cancel);
        }
        catch (TimeoutException)
        {
            throw RepeatedCall.Unavailable(_server, what, time, isOutcomeUnknown: false, null);
        }
        return await RepeatedCall.RunAsync(
            _server,
            what,
            time,
            isWrite: false,
            Options.AttemptTimeout,
            async attempt =>
            {
                using var answer = await _server.SendAsync(HttpMethod.Get, _server.Path("events/highest", query), null, attempt);
                using var json = JsonDocument.Parse(await answer.Content.ReadAsByteArrayAsync(attempt));
                if (json.RootElement.TryGetProperty("databaseId", out var id))
                    _server.Met(id.GetString()!);
                return new StreamState(
                    json.RootElement.GetProperty("highest").GetInt64(),
                    json.RootElement.GetProperty("deletedUpTo").GetInt64()
                );
            },
            cancel
        );
    }

    /// <summary>
    /// Reads the events of a stream, ascending by number. After a lost connection it goes on behind the last event that it handed over.
    /// It fails when no event came for <see cref="EventStreamsClientOptions.RepeatFor"/>.
    /// </summary>
    /// <param name="stream">The stream's id.</param>
    /// <param name="from">The first number.</param>
    /// <param name="to">The last number.</param>
    /// <param name="max">Events at most.</param>
    /// <param name="cancel">Ends the reading.</param>
    public async IAsyncEnumerable<StoredEvent> ReadAsync(
        string stream,
        long from = 1,
        long to = long.MaxValue,
        long max = long.MaxValue,
        [EnumeratorCancellation] CancellationToken cancel = default
    )
    {
        using var reading = OpenStream(stream, from, to, max, cancel);
        while (await reading.NextAsync() is { } read)
            yield return read;
    }

    /// <summary>Reads some events of a stream, ascending by number.</summary>
    public async Task<EventPage> ReadPageAsync(string stream, long from, long to, int max, CancellationToken cancel = default)
    {
        using var reading = OpenStream(stream, from, to, max, cancel);
        return await PageAsync(reading);
    }

    /// <summary>Reads some of all events after a position, in the order of positions.</summary>
    /// <param name="after">The position after which it begins; 0: at the beginning.</param>
    /// <param name="upTo">The last position.</param>
    /// <param name="max">Events at most.</param>
    /// <param name="cancel">Ends the reading.</param>
    public async Task<EventPage> ReadAllAsync(long after, long upTo, int max, CancellationToken cancel = default)
    {
        using var reading = OpenByPosition("the reading of all events", "events/all", "", after, upTo, max, cancel);
        return await PageAsync(reading);
    }

    /// <summary>As <see cref="ReadAllAsync"/>, of the events that have at least one of the tags.</summary>
    public async Task<EventPage> ReadTaggedAsync(
        IReadOnlyCollection<string> tags,
        long after,
        long upTo,
        int max,
        CancellationToken cancel = default
    )
    {
        var query = string.Concat(tags.Select(tag => $"&tag={Uri.EscapeDataString(tag)}"));
        using var reading = OpenByPosition("the reading of tagged events", "events/tagged", query, after, upTo, max, cancel);
        return await PageAsync(reading);
    }

    /// <summary>Reads some stream ids, in the order of first appends.</summary>
    /// <param name="after">The <see cref="StreamPage.Next"/> of the page before; 0: at the beginning.</param>
    /// <param name="max">Ids at most.</param>
    /// <param name="cancel">Ends the reading.</param>
    public Task<StreamPage> StreamsAsync(long after, int max, CancellationToken cancel = default) =>
        RepeatedCall.RunAsync(
            _server,
            "the reading of stream ids",
            Time(Begin()),
            isWrite: false,
            Options.AttemptTimeout,
            async attempt =>
            {
                var query = string.Create(CultureInfo.InvariantCulture, $"after={after}&max={max}");
                using var answer = await _server.SendAsync(HttpMethod.Get, _server.Path("events/streams", query), null, attempt);
                using var json = JsonDocument.Parse(await answer.Content.ReadAsByteArrayAsync(attempt));
                var root = json.RootElement;
                _server.Met(root.GetProperty("databaseId").GetString()!);
                return new StreamPage(
                    [.. root.GetProperty("streams").EnumerateArray().Select(stream => stream.GetProperty("id").GetString()!)],
                    root.GetProperty("next").GetInt64(),
                    root.GetProperty("isEnd").GetBoolean()
                );
            },
            cancel
        );

    private static async Task<EventPage> PageAsync(EventReading reading)
    {
        var events = new List<StoredEvent>();
        long bytes = 0;
        while (bytes < MaxPageBytes && await reading.NextAsync() is { } read)
        {
            events.Add(read);
            bytes += read.Payload.Length;
        }
        return new EventPage(events, reading.Durable, reading.IsEnd);
    }

    private EventReading OpenStream(string stream, long from, long to, long max, CancellationToken cancel)
    {
        var query = Texts.StreamQuery(stream);
        return new EventReading(
            _server,
            $"the reading of stream '{stream}'",
            (last, left) =>
                _server.Path(
                    "events",
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{query}&from={(last is null ? from : last.Number + 1)}&to={to}&max={left}"
                    )
                ),
            max,
            Time(Begin()),
            cancel
        );
    }

    private EventReading OpenByPosition(
        string what,
        string route,
        string query,
        long after,
        long upTo,
        long max,
        CancellationToken cancel
    ) =>
        new(
            _server,
            what,
            (last, left) =>
                _server.Path(
                    route,
                    string.Create(CultureInfo.InvariantCulture, $"after={last?.Position ?? after}&upTo={upTo}&max={left}") + query
                ),
            max,
            Time(Begin()),
            cancel
        );
}
