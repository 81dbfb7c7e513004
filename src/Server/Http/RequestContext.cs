using System.Diagnostics.CodeAnalysis;
using System.IO.Compression;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Jackdaw.Server.Http;

/// <summary>
/// One request and its answer. Lives as long as its connection and is reset for each request, so nothing may keep it after the
/// handler's task ends.
/// </summary>
[SuppressMessage(
    "Design",
    "CA1001",
    Justification = "The writer owns nothing: it writes into the pooled buffer, and Kestrel never disposes what it keeps with a connection."
)]
internal sealed class RequestContext
{
    private const string JsonContentType = "application/json; charset=utf-8";

    /// <summary>Below this a response is not worth compressing.</summary>
    private const int CompressFromBytes = 16 * 1024;

    private static readonly JsonWriterOptions JsonOptions = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        SkipValidation = true,
    };

    private Utf8JsonWriter? _json;
    private Stream? _stream;
    private string _databaseName = "";

    public RequestContext(ServerState server) => Server = server;

    public ServerState Server { get; }

    /// <summary>True for a request inside another one, which was let in already.</summary>
    public bool IsInner { get; init; }

    public DefaultHttpContext Http { get; } = new();

    public HttpRequest Request => Http.Request;

    public QueryParameters Query { get; } = new();

    /// <summary>The body of the answer so far. Send it with <see cref="SendAsync"/>, or in pieces with
    /// <see cref="FlushPieceAsync"/>.</summary>
    public ResponseBuffer Response { get; } = new();

    /// <summary>As given in the path, or "" for a server-wide route.</summary>
    public string DatabaseName => _databaseName;

    /// <summary>Cancelled when the client goes away. Costs an allocation: not for hot paths.</summary>
    public CancellationToken Aborted => Http.RequestAborted;

    public void Begin(IFeatureCollection features)
    {
        Http.Initialize(features);
        Query.Reset(features.GetRequiredFeature<IHttpRequestFeature>().QueryString);
        _databaseName = "";
    }

    public void End()
    {
        Response.Reset();
        _stream = null;
        Http.Uninitialize();
    }

    /// <summary>Names the database of the path, keeping the string of the connection's request before when it is the same.</summary>
    public void SetDatabaseName(ReadOnlySpan<char> name)
    {
        if (!name.SequenceEqual(_databaseName))
            _databaseName = name.ToString();
    }

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
        Response.TruncateTo(0);
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
        var response = Http.Response;
        response.StatusCode = status;
        response.ContentType = contentType;
        if (Response.Length >= CompressFromBytes && AcceptsGzip())
            return SendCompressedAsync();
        response.ContentLength = Response.Length;
        var sending = response.BodyWriter.WriteAsync(Response.Written);
        return sending.IsCompletedSuccessfully ? Task.CompletedTask : sending.AsTask();
    }

    /// <summary>Sends what <see cref="Response"/> holds as the next piece of a response of unknown length. Never call it inside a
    /// read transaction.</summary>
    public async Task FlushPieceAsync(string contentType = JsonContentType)
    {
        if (_stream is null)
        {
            Http.Response.ContentType = contentType;
            _stream = AcceptsGzip() ? Compressed() : Http.Response.Body;
        }
        await _stream.WriteAsync(Response.Written, Aborted);
        await _stream.FlushAsync(Aborted);
        Response.TruncateTo(0);
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
        if (_stream is GZipStream)
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

    private async Task SendCompressedAsync()
    {
        await using var stream = Compressed();
        await stream.WriteAsync(Response.Written);
    }

    private GZipStream Compressed()
    {
        Http.Response.Headers.ContentEncoding = "gzip";
        Http.Response.Headers.Vary = "Accept-Encoding";
        return new GZipStream(Http.Response.Body, CompressionLevel.Fastest, leaveOpen: true);
    }

    private bool AcceptsGzip()
    {
        foreach (var value in Request.Headers.AcceptEncoding)
            if (
                value is not null
                && value.Contains("gzip", StringComparison.OrdinalIgnoreCase)
                && !value.Contains("gzip;q=0,", StringComparison.OrdinalIgnoreCase)
            )
                return true;
        return false;
    }
}
