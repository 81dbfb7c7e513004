using System.Diagnostics;
using System.IO.Compression;
using System.Text.Encodings.Web;
using System.Text.Json;
using Jackdaw.Server.Http.Compression;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace Jackdaw.Server.Http;

/// <summary>Answers: whole ones, and pieces of long ones.</summary>
internal sealed partial class RequestContext
{
    private const string JsonContentType = "application/json; charset=utf-8";

    /// <summary>Below this an answer fits into one packet of the network, and compressing it wins nothing.</summary>
    private const int CompressFromBytes = 1400;

    /// <summary>A block of the pool out of which Kestrel sends.</summary>
    private const int KestrelBlockBytes = 4096;

    /// <summary>Longer answers are sent block by block. Arrays of this size and below are kept by each thread for the next
    /// answer.</summary>
    private const int LargestOnePiece = 64 * 1024;

    private static readonly StringValues VaryHeader = new("Accept-Encoding");

    private static readonly JsonWriterOptions JsonOptions = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        SkipValidation = true,
    };

    /// <summary>How many times as long as it read a scan rests while others write.</summary>
    private const int RestBesideWrites = 6;

    private static readonly TimeSpan LongestRest = TimeSpan.FromSeconds(1);

    /// <summary>A JSON writer at the end of <see cref="Response"/>; flush it before writing bytes beside it.</summary>
    public Utf8JsonWriter Json()
    {
        if (_json is null)
            _json = new Utf8JsonWriter(Response, JsonOptions);
        else
            _json.Reset(Response);
        return _json;
    }

    /// <summary>Answers with the JSON that <paramref name="write"/> writes.</summary>
    public Task SendJsonAsync(Action<Utf8JsonWriter> write, int status = StatusCodes.Status200OK)
    {
        Response.Clear();
        var json = Json();
        write(json);
        json.Flush();
        return SendAsync(status);
    }

    /// <summary>Answers with a status and no body.</summary>
    public Task SendEmptyAsync(int status)
    {
        Http.Response.StatusCode = status;
        if (status is not (StatusCodes.Status204NoContent or StatusCodes.Status304NotModified))
            Http.Response.ContentLength = 0;
        return Task.CompletedTask;
    }

    /// <summary>Sends what <see cref="Response"/> holds, as JSON, with its length; compressed when the client accepts it and it
    /// is worth it.</summary>
    public Task SendAsync(int status, string contentType = JsonContentType)
    {
        ReleaseTurn();
        var response = Http.Response;
        response.StatusCode = status;
        response.ContentType = contentType;
        if (Response.Length >= CompressFromBytes && ChooseCoding(contentType) is var coding and not ContentCoding.None)
            return SendCompressedAsync(coding);
        response.ContentLength = Response.Length;
        if (Response.IsStaged)
            return Response.CopyToAsync(response.Body, Aborted);
        return Response.Length is > KestrelBlockBytes and <= LargestOnePiece ? SendInOnePiece(response) : SendWritten(response);
    }

    /// <summary>
    /// Sends the answer as one block. Kestrel's own blocks of 4 KB would each be taken from a pool, pinned and given to the kernel by
    /// itself.
    /// </summary>
    private Task SendInOnePiece(HttpResponse response)
    {
        // The headers come first: before them there is no block to ask for.
        var starting = response.StartAsync(CancellationToken.None);
        if (!starting.IsCompletedSuccessfully)
            return SendAfterAsync(starting, response);
        var body = Response.Written.Span;
        var writer = response.BodyWriter;
        body.CopyTo(writer.GetSpan(body.Length));
        writer.Advance(body.Length);
        var sending = writer.FlushAsync();
        return sending.IsCompletedSuccessfully ? Task.CompletedTask : sending.AsTask();
    }

    private async Task SendAfterAsync(Task starting, HttpResponse response)
    {
        await starting;
        await SendWritten(response);
    }

    private Task SendWritten(HttpResponse response)
    {
        var sending = response.BodyWriter.WriteAsync(Response.Written);
        return sending.IsCompletedSuccessfully ? Task.CompletedTask : sending.AsTask();
    }

    /// <summary>Sends what <see cref="Response"/> holds as the next piece of a response of unknown length; compressed or not, all of
    /// it goes out. Never call it inside a read transaction.</summary>
    public async Task FlushPieceAsync(string contentType = JsonContentType)
    {
        ReleaseTurn();
        if (_stream is null)
        {
            Http.Response.ContentType = contentType;
            var coding = ChooseCoding(contentType);
            _stream = coding == ContentCoding.None ? Http.Response.Body : Compressing(coding, size: null);
        }
        await Response.CopyToAsync(_stream, Aborted);
        await _stream.FlushAsync(Aborted);
        Response.Clear();
    }

    /// <summary>Begins a response of pieces that are never compressed, since it may stay open for long: a compressor would keep its memory
    /// for as long.</summary>
    public void BeginPlainPieces(string contentType)
    {
        Http.Response.ContentType = contentType;
        _stream = Http.Response.Body;
    }

    /// <summary>
    /// Between two read transactions of one answer: sends what was gathered once it is a piece, gives way to others, and ends the request
    /// when its client has gone. The request then has one of <see cref="ServerState.ScanTurns"/>, until it sends or comes here again.
    /// Never call it inside a read transaction.
    /// </summary>
    /// <exception cref="OperationCanceledException">Nobody waits for the answer any more.</exception>
    /// <param name="pieceBytes">So many bytes are sent.</param>
    /// <param name="contentType">Of the answer.</param>
    /// <param name="stop">Ends the waiting; by default the client's going away does.</param>
    public async Task GoOnAsync(int pieceBytes, string contentType = JsonContentType, CancellationToken stop = default)
    {
        if (!stop.CanBeCanceled)
            stop = Aborted;
        stop.ThrowIfCancellationRequested();
        await RestAsync(stop);
        ReleaseTurn();
        if (Response.Length >= pieceBytes)
            await FlushPieceAsync(contentType);
        else
            await Task.Yield();
        await Server.ScanTurns.WaitAsync(stop);
        _turnBegan = Stopwatch.GetTimestamp();
    }

    /// <summary>Appends the body of an answer inside this one, and sends what makes a piece.</summary>
    public async Task AppendAsync(ResponseBuffer body, int pieceBytes)
    {
        if (body.IsStaged)
        {
            await FlushPieceAsync();
            await body.CopyToAsync(_stream!, Aborted);
            return;
        }
        Response.Write(body.Written.Span);
        if (Response.Length >= pieceBytes)
            await FlushPieceAsync();
    }

    /// <summary>Ends a response of pieces. Small ones that were never flushed are sent as a whole.</summary>
    public async Task EndPiecesAsync(string contentType = JsonContentType)
    {
        if (_stream is null)
        {
            await SendAsync(StatusCodes.Status200OK, contentType);
            return;
        }
        await FlushPieceAsync();
        if (_stream != Http.Response.Body)
            await _stream.DisposeAsync();
    }

    /// <summary>
    /// True when the client's If-None-Match equals <paramref name="etag"/>, which is given with its quotes. The client may leave
    /// them out; and it may have put a pair around a
    /// header that it kept as it came.
    /// </summary>
    public bool IsNotModified(string etag)
    {
        var known = Request.Headers.IfNoneMatch;
        if (known.Count == 0)
            return false;
        var text = known.ToString();
        return text == etag || text.AsSpan().Trim('"').SequenceEqual(etag.AsSpan().Trim('"'));
    }

    private async Task SendCompressedAsync(ContentCoding coding)
    {
        await using var stream = Compressing(coding, Response.Length);
        await Response.CopyToAsync(stream, Aborted);
    }

    private Stream Compressing(ContentCoding coding, long? size)
    {
        var response = Http.Response;
        response.Headers.ContentEncoding = coding == ContentCoding.Zstd ? "zstd" : "gzip";
        return coding == ContentCoding.Zstd
            ? new ZstdCompressionStream(response.Body, size)
            : new GZipStream(response.Body, CompressionLevel.Fastest, leaveOpen: true);
    }

    /// <summary>None for what is compressed already, by its coding or by its kind.</summary>
    private ContentCoding ChooseCoding(string contentType)
    {
        var headers = Http.Response.Headers;
        if (headers.ContentEncoding.Count > 0 || !IsText(contentType))
            return ContentCoding.None;
        // Also where it is not compressed: a cache between must not give another client what this one asked for.
        headers.Vary = VaryHeader;
        return AcceptedCoding.Choose(Request.Headers.AcceptEncoding);
    }

    /// <summary>While others write, a scan rests several times as long as it read, and keeps its turn. So scans leave nearly all of the
    /// processors to the writes, however many there are.</summary>
    private Task RestAsync(CancellationToken stop)
    {
        var database = Server.Databases.Get(_databaseName);
        if (!database.HasRecentForegroundWrites)
            return Task.CompletedTask;
        // Before its first turn it may have waited for much; what it read it read with one reader.
        var read = _turnBegan > 0 ? Stopwatch.GetElapsedTime(_turnBegan) : Stopwatch.GetElapsedTime(_began);
        var longest = _turnBegan > 0 ? LongestRest : RestBesideWrites * database.Limits.ReaderRenewalAgeBesideWrites;
        var rest = RestBesideWrites * read;
        return Task.Delay(rest < longest ? rest : longest, stop);
    }

    /// <summary>Gives a turn to scan to others.</summary>
    public void ReleaseTurn()
    {
        if (_turnBegan == 0)
            return;
        _turnBegan = 0;
        Server.ScanTurns.Release();
    }

    private static bool IsText(string contentType) =>
        contentType.StartsWith("application/json", StringComparison.OrdinalIgnoreCase)
        || contentType.StartsWith("application/x-ndjson", StringComparison.OrdinalIgnoreCase)
        || contentType.StartsWith("text/", StringComparison.OrdinalIgnoreCase);
}
