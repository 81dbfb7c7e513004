using System.Net;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Audit;
using Jackdaw.Server.Security.Tls;
using Microsoft.AspNetCore.Connections.Features;

namespace Jackdaw.Server.Http;

/// <summary>Who asks, what it may do, and what the audit log is told.</summary>
internal sealed partial class RequestContext
{
    private const string FetchSiteHeader = "Sec-Fetch-Site";

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

    /// <summary>Takes a place in the audit log for an administrative act, before it begins.</summary>
    /// <exception cref="AuditFullException">There is none.</exception>
    public void TakeAuditPlace()
    {
        Server.Audit?.TakePlace();
        _hasAuditPlace = Server.Audit is not null;
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
}
