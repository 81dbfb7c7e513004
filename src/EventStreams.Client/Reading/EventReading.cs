using System.Text.Json;
using Jackdaw.EventStreams.Client.Repeating;

namespace Jackdaw.EventStreams.Client.Reading;

/// <summary>
/// A read that goes on after the last event that it handed over when the connection is lost. It fails when no event came for as long as
/// calls are repeated.
/// </summary>
internal sealed class EventReading : IDisposable
{
    private readonly ServerConnection _server;
    private readonly string _what;
    private readonly Func<StoredEvent?, long, string> _path;
    private readonly CancellationToken _cancel;
    private CallTime _time;
    private long _left;
    private StoredEvent? _last;
    private HttpResponseMessage? _response;
    private EventAnswer? _answer;
    private Attempt? _attempt;
    private bool _isOver;
    private bool _hasMet;

    /// <param name="server">Whom to ask.</param>
    /// <param name="what">The read, for errors.</param>
    /// <param name="path">The request for so many events after the last one; null: from the beginning.</param>
    /// <param name="max">Events at most.</param>
    /// <param name="time">How long to wait for each event, and for the end.</param>
    /// <param name="cancel">Ends it.</param>
    public EventReading(
        ServerConnection server,
        string what,
        Func<StoredEvent?, long, string> path,
        long max,
        CallTime time,
        CancellationToken cancel
    ) => (_server, _what, _path, _left, _time, _cancel) = (server, what, path, max, time, cancel);

    /// <summary>What was durable when the latest request began.</summary>
    public long Durable { get; private set; }

    /// <summary>True when nothing followed the last event; false before the end, and when the maximum cut the read.</summary>
    public bool IsEnd { get; private set; }

    /// <summary>The next event; null at the end.</summary>
    /// <exception cref="Errors.ServerUnavailableException">No event and no end came in time.</exception>
    public ValueTask<StoredEvent?> NextAsync()
    {
        if (_isOver || _left == 0)
            return ValueTask.FromResult<StoredEvent?>(null);
        // Nobody waits for what has arrived, so no clock is asked: most events of a long answer come this way.
        return _hasMet && Arrived() is { } arrived ? ValueTask.FromResult<StoredEvent?>(Took(arrived)) : WaitAsync();
    }

    public void Dispose() => Close();

    private async ValueTask<StoredEvent?> WaitAsync()
    {
        // What the consumer took for the event before is its own time.
        _time = _time.Renewed();
        var backOff = new BackOff(_time.Clock);
        Exception? lastError = null;
        for (var number = 0; !_time.IsOver; number++)
        {
            try
            {
                return await ReadAsync(Attempt.Timeout(_server.Options.AttemptTimeout, number, _time.Left));
            }
            catch (Exception e) when (IsNotUnderstood(e))
            {
                throw _server.NotUnderstood(_what, e);
            }
            catch (Exception e) when (_attempt!.IsPassing(e))
            {
                lastError = e;
            }
            Close();
            await backOff.WaitAsync(_time.Left, _cancel);
        }
        throw RepeatedCall.Unavailable(_server, _what, _time, isOutcomeUnknown: false, lastError);
    }

    private StoredEvent? Arrived()
    {
        try
        {
            return _answer!.Arrived();
        }
        catch (Exception e) when (IsNotUnderstood(e))
        {
            throw _server.NotUnderstood(_what, e);
        }
    }

    private StoredEvent Took(StoredEvent read)
    {
        _last = read;
        _left--;
        return read;
    }

    private static bool IsNotUnderstood(Exception e) =>
        e is JsonException or FormatException or InvalidOperationException and not ObjectDisposedException;

    private async ValueTask<StoredEvent?> ReadAsync(TimeSpan patience)
    {
        if (_answer is null)
        {
            _attempt = new Attempt(_time.Clock, patience, _cancel);
            _response = await _server.SendAsync(HttpMethod.Get, _path(_last, _left), null, _attempt.Token);
            _answer = new EventAnswer(await _response.Content.ReadAsStreamAsync(_attempt.Token), _attempt, patience);
        }
        var read = await _answer.ReadAsync();
        if (!_hasMet)
        {
            _server.Met(_answer.DatabaseId);
            Durable = _answer.Durable;
            _hasMet = true;
        }
        if (read is not null)
            return Took(read);
        IsEnd = _answer.IsEnd;
        _isOver = true;
        Close();
        return null;
    }

    private void Close()
    {
        _hasMet = false;
        _answer?.Dispose();
        _answer = null;
        _response?.Dispose();
        _response = null;
        _attempt?.Dispose();
    }
}
