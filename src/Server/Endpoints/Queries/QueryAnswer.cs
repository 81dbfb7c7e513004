using System.Diagnostics;
using System.Globalization;
using System.Text;
using Jackdaw.Documents.Json;
using Jackdaw.Indexing.Running;
using Jackdaw.Server.Http;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>The answer to <c>/queries</c>: the order of its properties is part of the protocol, because some clients read them as a
/// stream.</summary>
internal sealed class QueryAnswer(RequestContext request, QueryExecution execution, bool mayBeCached, long started) : IDisposable
{
    /// <summary>Gathered before a piece of an answer is sent.</summary>
    private const int PieceBytes = 1024 * 1024;

    /// <summary>Room for a number that is known only when the results are written.</summary>
    private const int NumberWidth = 20;

    private const string Purpose = "POST /queries";

    private readonly QueryResult _result = new(execution, request.Server.Scripts, request.Query.Flag("metadataOnly"));

    /// <summary>Where in the response the number of skipped results stands; 0 for none.</summary>
    private int _skippedAt;
    private int _durationAt;
    private bool _isStale;

    /// <summary>When the index was chosen and had caught up; the answer begins to be made.</summary>
    private readonly long _began = Stopwatch.GetTimestamp();
    private long _counted;
    private long _etag;
    private long _indexedAt;
    private bool _hasNoted;

    public void Dispose() => _result.Dispose();

    public async Task SendAsync()
    {
        for (var isFirst = true; !_result.IsAtEnd; isFirst = false)
        {
            if (!isFirst)
                await GoOnAsync();
            bool isWhole;
            using (var moment = await execution.OpenAsync(Purpose))
            {
                if (isFirst && Confirms(moment))
                {
                    await request.SendEmptyAsync(StatusCodes.Status304NotModified);
                    return;
                }
                isWhole = WriteNext(moment) && isFirst && _result.Included.WriteNext(moment.Documents, request.Response, PieceBytes);
                if (!_result.IsAtEnd)
                    execution.Keep(moment);
            }
            if (!isWhole)
                continue;
            WriteTail();
            if (mayBeCached)
                request.Http.Response.Headers.ETag = Header;
            await request.SendAsync(StatusCodes.Status200OK);
            return;
        }
        // Of several moments: no ETag. ResultEtag is that of the first, since when nothing was left out.
        await _result.Included.WriteRestAsync(request, request.Database());
        WriteTail();
        await request.EndPiecesAsync();
    }

    private string Header => $"\"{_etag.ToString(CultureInfo.InvariantCulture)}\"";

    /// <summary>What is told about the index holds for the whole answer: that of its first moment.</summary>
    private void Note(QueryMoment moment)
    {
        _etag = execution.ResultEtag(moment);
        _isStale = execution.IsStale(moment);
        _indexedAt = moment.Index?.LastIndexedAt ?? 0;
        _hasNoted = true;
    }

    /// <summary>The client has this answer, and it is still true.</summary>
    private bool Confirms(QueryMoment moment)
    {
        if (!mayBeCached || request.Request.Headers.IfNoneMatch.Count == 0)
            return false;
        Note(moment);
        if (request.IsNotModified(Header))
        {
            request.Http.Response.Headers.ETag = Header;
            return true;
        }
        // The index is searched without a reader of documents.
        if (moment.Index is not null)
            moment.ReleaseDocuments();
        return false;
    }

    private Task GoOnAsync()
    {
        execution.Cancellation.ThrowIfCancellationRequested();
        if (request.Response.Length >= PieceBytes)
            FillIn();
        return request.GoOnAsync(PieceBytes);
    }

    /// <summary>Counts, then the head, then results; true when all results are written.</summary>
    private bool WriteNext(QueryMoment moment)
    {
        try
        {
            var isCounted = _result.Total is not null;
            // Of an index only after it was searched: the documents are opened late.
            if (moment.Index is null && !_hasNoted)
                Note(moment);
            if (!_result.Begin(moment))
                return false;
            if (!isCounted)
            {
                _counted = Stopwatch.GetTimestamp();
                if (moment.Index is not null)
                    Note(moment);
                WriteHead();
            }
            _result.WriteNext(request, ","u8, [], [], PieceBytes);
            return _result.IsAtEnd;
        }
        finally
        {
            _result.End();
        }
    }

    private void WriteHead()
    {
        var total = _result.Total!.Value;
        var json = request.Json();
        json.WriteStartObject();
        json.WriteNumber("TotalResults", Math.Min(total, int.MaxValue));
        json.WriteNumber("LongTotalResults", total);
        json.WritePropertyName("SkippedResults");
        _skippedAt = WriteRoom(json);
        if (_result.CappedTotal is { } capped)
            json.WriteNumber("CappedMaxResults", capped);
        if (_result.Scanned is { } scanned)
            json.WriteNumber("ScannedResults", scanned);
        json.WritePropertyName("DurationInMs");
        _durationAt = WriteRoom(json);
        if (_result.Included.Paths.Count == 0)
            json.WriteNull("IncludedPaths");
        else
        {
            json.WriteStartArray("IncludedPaths");
            foreach (var path in _result.Included.Paths)
                json.WriteStringValue(path.Text);
            json.WriteEndArray();
        }
        json.WriteString("IndexName", execution.IndexName);
        json.WriteStartArray("Results");
        json.Flush();
    }

    /// <summary>Writes blanks and a zero, and returns where they begin.</summary>
    private int WriteRoom(System.Text.Json.Utf8JsonWriter json)
    {
        Span<byte> room = stackalloc byte[NumberWidth];
        room.Fill((byte)' ');
        room[^1] = (byte)'0';
        json.WriteRawValue(room, skipInputValidation: true);
        json.Flush();
        return (int)request.Response.Length - NumberWidth;
    }

    /// <summary>Writes the numbers that are known by now into the head, which has not been sent yet. In an answer of several pieces
    /// they are those of the first piece.</summary>
    private void FillIn()
    {
        if (_skippedAt == 0)
            return;
        FillIn(_skippedAt, _result.Skipped);
        FillIn(_durationAt, (long)Stopwatch.GetElapsedTime(started).TotalMilliseconds);
        _skippedAt = 0;
    }

    private void WriteTimings()
    {
        var now = Stopwatch.GetTimestamp();
        request.Response.Write(",\"Timings\":"u8);
        var json = request.Json();
        json.WriteStartObject();
        json.WriteNumber("DurationInMs", Milliseconds(started, now));
        json.WriteStartObject("Timings");
        Write("Index", started, _began);
        Write("Search", _began, _counted);
        Write("Results", _counted, now);
        json.WriteEndObject();
        json.WriteEndObject();
        json.Flush();

        void Write(string name, long from, long to)
        {
            json.WriteStartObject(name);
            json.WriteNumber("DurationInMs", Milliseconds(from, to));
            json.WriteNull("Timings");
            json.WriteEndObject();
        }
    }

    private static long Milliseconds(long from, long to) => (long)Stopwatch.GetElapsedTime(from, to).TotalMilliseconds;

    private void FillIn(int at, long number)
    {
        Span<byte> text = stackalloc byte[NumberWidth];
        text.Fill((byte)' ');
        Span<byte> digits = stackalloc byte[NumberWidth];
        System.Buffers.Text.Utf8Formatter.TryFormat(number, digits, out var length);
        digits[..length].CopyTo(text[^length..]);
        request.Response.TryOverwrite(at, text);
    }

    private void WriteDate(long ticks)
    {
        Span<byte> text = stackalloc byte[ProtocolDate.Length + 1];
        request.Response.Write(text[..ProtocolDate.Format(ticks, text, withZ: false)]);
    }

    private void WriteTail()
    {
        FillIn();
        var response = request.Response;
        response.Write(",\"IndexTimestamp\":\""u8);
        WriteDate(_indexedAt);
        response.Write("\",\"LastQueryTime\":\""u8);
        WriteDate(DateTime.UtcNow.Ticks);
        response.Write(_isStale ? "\",\"IsStale\":true,\"ResultEtag\":"u8 : "\",\"IsStale\":false,\"ResultEtag\":"u8);
        Span<byte> digits = stackalloc byte[NumberWidth];
        System.Buffers.Text.Utf8Formatter.TryFormat(_etag, digits, out var length);
        response.Write(digits[..length]);
        response.Write(",\"NodeTag\":\""u8);
        response.Write(Encoding.UTF8.GetBytes(request.Server.NodeTag));
        response.Write((byte)'"');
        if (execution.Plan.WantsTimings)
            WriteTimings();
        request.Response.Write((byte)'}');
    }
}
