using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Connections.Features;

namespace Jackdaw.Server.Security;

/// <summary>Decides who may send which request. Shared by all connections.</summary>
internal sealed class AccessGate
{
    private const string HowToGetRights =
        "An operator grants rights with './run certificates edit' on the server's machine, or with a client's certificate operations.";

    private readonly ICertificateIdentification? _certificates;
    private readonly TimeProvider _clock;
    private readonly ClientConnections _connections = new();

    /// <param name="certificates">Null for a server without certificates: every client may do everything.</param>
    /// <param name="publicUrl">The address that clients are told; null when none is configured.</param>
    /// <param name="clock">By which certificates expire.</param>
    public AccessGate(ICertificateIdentification? certificates, Uri? publicUrl = null, TimeProvider? clock = null)
    {
        _certificates = certificates;
        _clock = clock ?? TimeProvider.System;
        Browsers = new BrowserGuard(isLoopbackOnly: certificates is null, publicUrl);
    }

    /// <summary>Refuses requests that web pages of others make.</summary>
    public BrowserGuard Browsers { get; }

    /// <summary>How many connections of clients with certificates are open.</summary>
    public int OpenConnections => _connections.Count;

    /// <summary>True for a server without certificates.</summary>
    public bool IsUnsecured => _certificates is null;

    /// <summary>Grows when clients must be identified again.</summary>
    public int Version => _certificates?.Version ?? 0;

    /// <summary>Returns whether a client's certificate has expired since the client was identified.</summary>
    public bool HasExpired(Access access) => access.ValidUntil < DateTime.MaxValue && _clock.GetUtcNow().UtcDateTime > access.ValidUntil;

    /// <summary>Identifies the client of a connection.</summary>
    /// <param name="presented">The certificate that the client presented in the handshake; null without one.</param>
    /// <exception cref="AccessDeniedException">The client presented none, or one that the server does not accept.</exception>
    public Access Identify(X509Certificate2? presented)
    {
        if (_certificates is null)
            return Access.Unsecured;
        if (presented is null)
            throw new AccessDeniedException(
                "This server requires a client certificate, and the client presented none. "
                    + "An administrator makes one with './run certificates client' on the server's machine."
            );
        var identified = _certificates.Identify(presented);
        return identified.Access ?? throw new AccessDeniedException(identified.Denial ?? "The server does not accept the certificate.");
    }

    /// <summary>Identifies the client of a connection, and remembers the connection as long as it is open.</summary>
    /// <param name="known">What an earlier call gave for the connection; null at first.</param>
    /// <param name="presented">As for <see cref="Identify"/>.</param>
    /// <param name="lifetime">Ends the connection; null where nothing can.</param>
    /// <param name="version">The version of the certificates by which the client was identified.</param>
    /// <returns>The connection, and what its client may do.</returns>
    /// <exception cref="AccessDeniedException">As for <see cref="Identify"/>.</exception>
    public (ClientConnection? Connection, Access Access) IdentifyConnection(
        ClientConnection? known,
        X509Certificate2? presented,
        IConnectionLifetimeFeature? lifetime,
        out int version
    )
    {
        while (true)
        {
            version = Version;
            var access = Identify(presented);
            if (known is not null)
                known.Access = access;
            else if (_certificates is not null && lifetime is not null)
                known = _connections.Add(lifetime, presented!, access);
            // A change in between may have looked at all connections before this one was among them.
            if (version == Version)
                return (known, access);
        }
    }

    /// <summary>Finds out whose a new connection is, and remembers it as long as it is open. Null for a client whom the server does not
    /// accept; its requests are told why.</summary>
    /// <param name="presented">As for <see cref="Identify"/>.</param>
    /// <param name="lifetime">As for <see cref="IdentifyConnection"/>.</param>
    public ClientConnection? Admit(X509Certificate2? presented, IConnectionLifetimeFeature? lifetime)
    {
        if (presented is null)
            return null;
        try
        {
            return IdentifyConnection(null, presented, lifetime, out _).Connection;
        }
        catch (Exception e) when (e is AccessDeniedException or CryptographicException)
        {
            return null;
        }
    }

    /// <summary>Ends the connections of clients who are refused now, or may do less than at their last request.</summary>
    /// <returns>Whose connections were ended.</returns>
    public IReadOnlyList<Access> EndThoseWithLess() => _certificates is null ? [] : _connections.EndThoseWithLess(_certificates);

    /// <summary>Checks what a client may do against what its request requires.</summary>
    /// <param name="access">Of the client.</param>
    /// <param name="required">Of the route.</param>
    /// <param name="database">The database in the path; "" for a server-wide route.</param>
    /// <exception cref="AccessDeniedException">The client lacks the right.</exception>
    public static void Require(Access access, RequiredRight required, string database)
    {
        switch (required)
        {
            case RequiredRight.Anyone or RequiredRight.Known:
                return;
            case RequiredRight.DatabaseRead or RequiredRight.DatabaseReadWrite or RequiredRight.DatabaseAdmin:
                RequireDatabase(access, database, RightOf(required));
                return;
            case RequiredRight.Operator:
                RequireOperator(access, "This request");
                return;
            default:
                if (!access.IsAdministrator)
                    throw new AccessDeniedException(
                        $"This request requires the clearance {nameof(Clearance.ClusterAdmin)}, and {Describe(access)} "
                            + $"has the clearance {access.Clearance}. {HowToGetRights}"
                    );
                return;
        }
    }

    /// <summary>Checks a right in a database, with the same answer whether the database exists or not.</summary>
    /// <exception cref="AccessDeniedException">The client lacks the right.</exception>
    public static void RequireDatabase(Access access, string database, DatabaseRight right)
    {
        if (access.May(database, right))
            return;
        var held = access.Databases.TryGetValue(database, out var some) ? $"only the right {some}" : "no right";
        throw new AccessDeniedException(
            $"This request requires the right {right} for the database '{database}', and {Describe(access)} has {held} for it. "
                + HowToGetRights
        );
    }

    /// <summary>Checks that the client is an operator or an administrator.</summary>
    /// <param name="access">Of the client.</param>
    /// <param name="what">The subject of the sentence, e.g. "A copy into a folder".</param>
    /// <exception cref="AccessDeniedException">The client is neither.</exception>
    public static void RequireOperator(Access access, string what)
    {
        if (!access.IsOperator)
            throw new AccessDeniedException(
                $"{what} requires the clearance {nameof(Clearance.Operator)}, and {Describe(access)} has the clearance {access.Clearance}. "
                    + HowToGetRights
            );
    }

    private static DatabaseRight RightOf(RequiredRight required) =>
        required switch
        {
            RequiredRight.DatabaseRead => DatabaseRight.Read,
            RequiredRight.DatabaseReadWrite => DatabaseRight.ReadWrite,
            _ => DatabaseRight.Admin,
        };

    private static string Describe(Access access) => $"the certificate '{access.Name}' (thumbprint {access.Thumbprint})";
}
