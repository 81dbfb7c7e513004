using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using Jackdaw.Server.Http.Compression;
using Jackdaw.Server.Security;
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
internal sealed partial class RequestContext
{
    private Utf8JsonWriter? _json;
    private Stream? _stream;
    private string _databaseName = "";

    /// <summary>When the turn to scan was taken; 0 without one.</summary>
    private long _turnBegan;

    /// <summary>When the request came.</summary>
    private long _began;

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
}
