using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.IO.Compression;
using System.Net;
using System.Text.Encodings.Web;
using System.Text.Json;
using Jackdaw.Server.Http.Compression;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Audit;
using Jackdaw.Server.Security.Tls;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;

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
    private const string FetchSiteHeader = "Sec-Fetch-Site";

    private const string JsonContentType = "application/json; charset=utf-8";

    /// <summary>Below this an answer fits into one packet of the network, and compressing it wins nothing.</summary>
    private const int CompressFromBytes = 1400;

    private static readonly StringValues VaryHeader = new("Accept-Encoding");

    private static readonly JsonWriterOptions JsonOptions = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        SkipValidation = true,
    };

    /// <summary>How many times as long as it read a scan rests while others write.</summary>
    private const int RestBesideWrites = 6;

    private static readonly TimeSpan LongestRest = TimeSpan.FromSeconds(1);

    private Utf8JsonWriter? _json;
    private Stream? _stream;
    private string _databaseName = "";

    /// <summary>When the turn to scan was taken; 0 without one.</summary>
    private long _turnBegan;

    /// <summary>When the request came.</summary>
    private long _began;

    /// <summary>Who the connection's client is; null before its first request that must know.</summary>
    private Access? _access;

    /// <summary>The version of the certificates by which <see cref="_access"/> was found.</summary>
    private int _accessVersion;

    /// <summary>The connection, when its client has a certificate.</summary>
    private ClientConnection? _connection;

    /// <summary>The host that the connection's last request named, and that was accepted.</summary>
    private string? _host;

    /// <summary>Which request this one is inside of; null for one that came alone.</summary>
    private RequestContext? _outer;

    /// <summary>The highest right for which the client was let into <see cref="_databaseName"/>.</summary>
    private RequiredRight _granted;

    /// <summary>The request is an administrative act, and the audit log keeps a place for its line.</summary>
    private bool _hasAuditPlace;

    public RequestContext(ServerState server)
    {
        Server = server;
        Response = new ResponseBuffer(() => Server.StageAnswer());
    }

    public ServerState Server { get; }

    /// <summary>True for a request inside another one, which was let in already.</summary>
    public bool IsInner => InnerAnswer is not null;

    /// <summary>The client, and what it may do. An inner request has the access of the outer one.</summary>
    /// <exception cref="InvalidOperationException">The route is open to anyone, so nobody asked who the client is.</exception>
    public Access Access => _access ?? throw new InvalidOperationException("The client of this request has not been identified.");

    /// <summary>Where the answer to a request inside another one is gathered; null for one that came alone.</summary>
    public ResponseBuffer? InnerAnswer { get; init; }

    public DefaultHttpContext Http { get; } = new();

    public HttpRequest Request => Http.Request;

    public QueryParameters Query { get; } = new();

    /// <summary>The body of the answer so far. Send it with <see cref="SendAsync"/>, or in pieces with
    /// <see cref="FlushPieceAsync"/>.</summary>
    public ResponseBuffer Response { get; }

    /// <summary>What an administrative request is about beyond its path and query, for the audit log; its handler says it.</summary>
    public string? AuditSubject { get; set; }

    /// <summary>True when the request is an administrative act: one that changes something and requires the right to administer.</summary>
    public bool IsAdministrative { get; private set; }

    /// <summary>As given in the path, or "" for a server-wide route.</summary>
    public string DatabaseName => _databaseName;

    /// <summary>Cancelled when the client goes away. Costs an allocation: not for hot paths.</summary>
    public CancellationToken Aborted => Http.RequestAborted;

    /// <summary>Takes a place in the audit log for an administrative act, before it begins.</summary>
    /// <exception cref="AuditFullException">There is none.</exception>
    public void TakeAuditPlace()
    {
        Server.Audit?.TakePlace();
        _hasAuditPlace = Server.Audit is not null;
    }

    public void Begin(IFeatureCollection features)
    {
        Http.Initialize(features);
        Query.Reset(features.GetRequiredFeature<IHttpRequestFeature>().QueryString);
        _began = Stopwatch.GetTimestamp();
        IsAdministrative = false;
        IsUnknown = false;
        AuditSubject = null;
        _hasAuditPlace = false;
    }

    public void End()
    {
        ReleaseTurn();
        Response.Reset();
        // An answer that was cut short: its frame is not ended, and its memory is freed.
        (_stream as ZstdCompressionStream)?.Dispose();
        _stream = null;
        Http.Uninitialize();
    }

    /// <summary>Names the database of the path, keeping the string of the connection's request before when it is the same.</summary>
    public void SetDatabaseName(ReadOnlySpan<char> name)
    {
        if (name.SequenceEqual(_databaseName))
            return;
        _databaseName = name.ToString();
        _granted = RequiredRight.Anyone;
    }

    /// <summary>True when the client could not be identified: nobody knows it, so nothing is lost with its connection.</summary>
    public bool IsUnknown { get; private set; }

    /// <summary>Finds out who the connection's client is, once for the connection, again after each change to the certificates, and
    /// when the client's certificate has expired.</summary>
    /// <exception cref="AccessDeniedException">The client has no certificate, or one that is not accepted.</exception>
    public void Identify()
    {
        var gate = Server.Gate;
        if (_access is not null && _accessVersion == gate.Version && !gate.HasExpired(_access))
            return;
        _access = null;
        _granted = RequiredRight.Anyone;
        if (gate.IsUnsecured)
            (_access, _accessVersion) = (Access.Unsecured, gate.Version);
        else
        {
            IsUnknown = true;
            (_connection, _access) = gate.IdentifyConnection(
                _connection ?? Http.Features.Get<ClientConnection>(),
                Http.Connection.ClientCertificate,
                Http.Features.Get<IConnectionLifetimeFeature>(),
                out _accessVersion
            );
            IsUnknown = false;
            // The certificate was stored, or has become valid, since the connection began.
            Http.Features.Get<UnknownClient>()?.Place.End();
        }
    }

    /// <summary>The request is open to anyone: on the connection of an unknown client it is a sign of life.</summary>
    public void RenewUnknown() => Http.Features.Get<UnknownClient>()?.Place.Renew();

    /// <summary>Refuses a request that names a host that this server is not, or that a web page of another origin makes.</summary>
    /// <exception cref="AccessDeniedException">It is such a request.</exception>
    public void RequireOwnPage()
    {
        var headers = Request.Headers;
        var host = headers.Host.ToString();
        var browsers = Server.Gate.Browsers;
        if (!host.Equals(_host, StringComparison.Ordinal))
        {
            browsers.RequireHost(host);
            _host = host;
        }
        var origin = headers.Origin;
        if (origin.Count > 0 || headers.ContainsKey(FetchSiteHeader))
            browsers.RequirePage(host, origin, headers[FetchSiteHeader]);
    }

    /// <summary>Gives a request inside another one the access of the outer.</summary>
    public void ActFor(RequestContext outer)
    {
        _access = outer.Access;
        _accessVersion = outer._accessVersion;
        _outer = outer;
    }

    /// <summary>Tells the audit log of the request, when it was an administrative act or was refused.</summary>
    /// <param name="refusal">Why it was refused; null when it was not.</param>
    public void Audit(AccessDeniedException? refusal)
    {
        // An act without a place was not begun.
        if (Server.Audit is not { } log || (refusal is null && !_hasAuditPlace))
            return;
        var connection = (_outer ?? this).Http.Connection;
        // A page of another origin is refused before anybody asks who the client is.
        var client = _access ?? (IsUnknown ? null : Http.Features.Get<ClientConnection>()?.Access);
        // Whom a refused certificate belongs to is what the reason says; nobody has proved to be somebody known.
        log.Add(
            new AuditEntry
            {
                Kind = refusal is null ? AuditKind.Act : AuditKind.Refusal,
                Client = client?.Name,
                Thumbprint = client?.Thumbprint,
                From = connection.RemoteIpAddress is { } address ? new IPEndPoint(address, connection.RemotePort).ToString() : null,
                Method = Request.Method,
                Path = Request.Path.Value,
                Query = Request.QueryString.Value is { Length: > 0 } query ? query : null,
                Subject = AuditSubject,
                Status = Http.Response.StatusCode,
                Reason = refusal?.Message,
            },
            _hasAuditPlace
        );
    }

    /// <summary>Checks the right that the route requires, and notes whether the request is an administrative act.</summary>
    /// <exception cref="AccessDeniedException">The client lacks the right.</exception>
    public void Require(RouteMethod method)
    {
        IsAdministrative =
            method.Right >= RequiredRight.DatabaseAdmin && !HttpMethods.IsGet(method.Method) && !HttpMethods.IsHead(method.Method);
        Require(method.Right);
    }

    /// <summary>Checks the right that the route requires. Repeated requests to one database cost a comparison.</summary>
    /// <exception cref="AccessDeniedException">The client lacks the right.</exception>
    private void Require(RequiredRight right)
    {
        if (right <= _granted)
            return;
        AccessGate.Require(Access, right, _databaseName);
        _granted = right;
    }

    /// <summary>Checks a right in a database that is named elsewhere than in the path.</summary>
    /// <exception cref="AccessDeniedException">The client lacks the right; the answer is the same whether the database exists or
    /// not.</exception>
    public void RequireDatabase(string database, DatabaseRight right) => AccessGate.RequireDatabase(Access, database, right);

    /// <summary>Checks that the client is an operator, for parts of a request that the route's right does not cover.</summary>
    /// <param name="what">The subject of the refusal's sentence, e.g. "A copy into a folder".</param>
    /// <exception cref="AccessDeniedException">The client is no operator.</exception>
    public void RequireOperator(string what) => AccessGate.RequireOperator(Access, what);

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
