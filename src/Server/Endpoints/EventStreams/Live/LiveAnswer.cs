using System.Diagnostics;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Reading;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.EventStreams.Live;

/// <summary>
/// The answer to one live read: lines of JSON until the client goes away or the server ends it. It reads in short transactions, none of
/// which is open while it waits or sends.
/// </summary>
internal sealed class LiveAnswer
{
    public const string ContentType = "application/x-ndjson";

    private readonly RequestContext _request;
    private readonly Database _database;
    private readonly DatabaseLiveReads _live;
    private readonly LiveReader _reader;
    private readonly LiveReadLimits _limits;
    private readonly TimeProvider _clock;
    private readonly LiveTurns _turns;

    /// <summary>Everything that concerns the reader up to here has been given.</summary>
    private long _position;

    /// <summary>How many of the positions that were taken have been looked at.</summary>
    private int _looked;

    /// <summary>When its turn began; 0 without one.</summary>
    private long _turnBegan;

    /// <param name="request">The request.</param>
    /// <param name="live">Of its database.</param>
    /// <param name="reader">Added there.</param>
    public LiveAnswer(RequestContext request, DatabaseLiveReads live, LiveReader reader)
    {
        _request = request;
        _database = request.Database();
        _live = live;
        _reader = reader;
        _limits = request.Server.LiveReads.Limits;
        _clock = request.Server.LiveReads.Clock;
        _turns = request.Server.LiveReads.Turns;
        _position = reader.After;
    }

    /// <summary>Answers, until the end.</summary>
    /// <exception cref="OperationCanceledException">The client has gone.</exception>
    public async Task RunAsync()
    {
        _request.BeginPlainPieces(ContentType);
        Write($"{{\"databaseId\":\"{_database.IdText}\",\"durable\":{_position}}}\n");
        try
        {
            await SendAsync();
            LiveEnd? end;
            do
            {
                await WaitAsync();
                end = await StepAsync();
            } while (end is null);
            end.Write(_request);
            await SendAsync();
        }
        finally
        {
            EndTurn();
        }
        await _request.EndPiecesAsync(ContentType);
    }

    private async Task WaitAsync()
    {
        var waiting = _live.WaitAsync(_reader);
        if (!waiting.IsCompleted)
        {
            // An idle reader keeps nothing that a large event has left, and no turn to scan.
            _request.Response.Reset();
            _request.ReleaseTurn();
        }
        await waiting;
        if (_reader.IsGone)
            throw new OperationCanceledException("The client has gone.");
    }

    /// <summary>Does what is next; gives the reason to end.</summary>
    private async Task<LiveEnd?> StepAsync()
    {
        await BeginTurnAsync();
        var task = _live.Take(_reader, out var upTo);
        upTo = Math.Max(upTo, _position);
        switch (task)
        {
            case LiveTask.None:
                EndTurn();
                return null;
            case LiveTask.End:
                return _reader.End;
            case LiveTask.Beat:
                Write($"{{\"heartbeat\":true,\"durable\":{upTo}}}\n");
                break;
            case LiveTask.Wake:
                WriteWake(upTo);
                break;
            default:
                _looked = 0;
                return await GiveAsync(task, upTo);
        }
        _position = upTo;
        await SendAsync();
        return null;
    }

    /// <summary>Gives events up to a position: a piece for each read transaction.</summary>
    private async Task<LiveEnd?> GiveAsync(LiveTask task, long upTo)
    {
        while (true)
        {
            bool isWhole;
            try
            {
                isWhole = Read(task, upTo);
            }
            catch (Exception e)
            {
                // The line that it broke off is not sent.
                _request.Response.Clear();
                return await EndOfAsync(e);
            }
            if (isWhole)
                _position = upTo;
            if (_request.Response.Length > 0)
                await SendAsync();
            EndTurn();
            if (isWhole || _reader.End is not null)
                return null;
            try
            {
                await _request.GoOnAsync(_limits.PieceBytes, ContentType, _reader.Stop);
            }
            catch (OperationCanceledException) when (!_reader.IsGone)
            {
                return null;
            }
            catch (DatabaseUnavailableException e)
            {
                return await EndOfAsync(e);
            }
            await BeginTurnAsync();
            if (_reader.End is not null)
                return null;
        }
    }

    /// <summary>Reads a piece; true: that was everything up to the position.</summary>
    private bool Read(LiveTask task, long upTo)
    {
        using var reader = _database.OpenRead("GET /events/live");
        using var events = new EventStreamsReader(reader);
        if (_reader.Selection.WakesOnly)
            return LookForNews(reader, events, upTo);
        return task == LiveTask.GiveTold ? ReadTold(reader, events) : ReadOn(reader, events, upTo);
    }

    private bool ReadTold(DocumentsReader reader, EventStreamsReader events)
    {
        var taken = _reader.Taken;
        for (; _looked < taken.Count; _looked++)
        {
            if (reader.IsDue || _request.Response.Length >= _limits.PieceBytes)
                return false;
            _position = taken[_looked];
            if (events.TryGet(_position, out var stored))
                Give(stored);
        }
        return true;
    }

    private bool ReadOn(DocumentsReader reader, EventStreamsReader events, long upTo)
    {
        var cursor = _reader.Selection.Open(events, _position);
        while (cursor?.MoveNext() == true && cursor.Position <= upTo)
        {
            if (reader.IsDue || _request.Response.Length >= _limits.PieceBytes)
                return false;
            _position = cursor.Position;
            if (!cursor.IsDeleted)
                Give(cursor.Current);
        }
        return true;
    }

    /// <summary>Whether something that concerns it was stored or deleted since it was last woken.</summary>
    private bool LookForNews(DocumentsReader reader, EventStreamsReader events, long upTo)
    {
        var cursor = _reader.Selection.Open(events, _position);
        var isNew = cursor?.MoveNext() == true && cursor.Position <= upTo;
        using var deletions = _reader.Selection.HearsDeletions ? events.OpenDeletions(_position) : null;
        while (!isNew && deletions?.MoveNext() == true && deletions.Position <= upTo)
            // Waking for nothing does no harm, where there are very many of them.
            isNew = reader.IsDue || _reader.Selection.IsConcernedByDeletion(events, deletions.StreamNumber);
        if (isNew && _reader.Selection.IsNamed)
            Write($"{{\"durable\":{upTo},\"any\":true}}\n");
        else if (isNew)
            Write($"{{\"durable\":{upTo}}}\n");
        return true;
    }

    /// <summary>Something that concerns it was stored or deleted; where it wants to know, with what names.</summary>
    private void WriteWake(long upTo)
    {
        if (!_reader.Selection.IsNamed)
        {
            Write($"{{\"durable\":{upTo}}}\n");
            return;
        }
        var json = _request.Json();
        json.WriteStartObject();
        json.WriteNumber("durable"u8, upTo);
        WriteNames(json, "streams"u8, areStreams: true);
        WriteNames(json, "tags"u8, areStreams: false);
        json.WriteEndObject();
        json.Flush();
        _request.Response.Write("\n"u8);
    }

    private void WriteNames(Utf8JsonWriter json, ReadOnlySpan<byte> member, bool areStreams)
    {
        var hasAny = false;
        foreach (var name in _reader.TakenNames)
        {
            var (isStream, text) = _reader.Selection.Name(name);
            if (isStream != areStreams)
                continue;
            if (!hasAny)
                json.WriteStartArray(member);
            hasAny = true;
            json.WriteStringValue(text);
        }
        if (hasAny)
            json.WriteEndArray();
    }

    private void Give(in StoredEvent stored)
    {
        EventJson.Write(_request, stored, onOneLine: true);
        _request.Response.Write("\n"u8);
    }

    private async Task SendAsync()
    {
        _reader.NoteSending(_clock);
        var sending = _request.FlushPieceAsync(ContentType);
        // Only what this side does counts: a client that does not read holds nobody up.
        EndTurn();
        await sending;
        _reader.NoteSent(_clock);
    }

    /// <summary>Readers take turns; not the one that is to end.</summary>
    private async ValueTask BeginTurnAsync()
    {
        try
        {
            await _turns.BeginAsync(_database, _reader.Stop);
            _turnBegan = Stopwatch.GetTimestamp();
        }
        catch (OperationCanceledException)
        {
            // The end comes without a turn.
        }
    }

    private void EndTurn()
    {
        if (_turnBegan == 0)
            return;
        _turns.End(Stopwatch.GetElapsedTime(_turnBegan));
        _turnBegan = 0;
    }

    /// <summary>An error of the database is the end. When it is being closed, the reason follows in a moment.</summary>
    private async Task<LiveEnd> EndOfAsync(Exception exception)
    {
        if (exception is DatabaseUnavailableException)
        {
            while (_reader.End is null && !_reader.IsGone)
                await _live.WaitAsync(_reader);
        }
        return _reader.End ?? LiveEnd.Of(exception);
    }

    private void Write(FormattableString text) =>
        _request.Response.Write(Encoding.UTF8.GetBytes(text.ToString(CultureInfo.InvariantCulture)));
}
