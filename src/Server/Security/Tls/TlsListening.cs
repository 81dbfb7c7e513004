using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Jackdaw.Server.Security.Tls;

/// <summary>What a connection goes through on a port of TLS: its place among the handshakes, a look at its first bytes, the
/// handshake, and a look at who the client is.</summary>
internal static class TlsListening
{
    /// <param name="listen">The port.</param>
    /// <param name="certificate">The server's.</param>
    /// <param name="connections">Those of clients that nobody has let in yet.</param>
    /// <param name="gate">Knows who may enter.</param>
    public static void UseTls(this ListenOptions listen, ServerCertificate certificate, TlsConnections connections, AccessGate gate)
    {
        listen.Use(next => connection => BeginAsync(connection, next, connections.Handshakes));
        listen.UseHttps(
            new TlsHandshakeCallbackOptions
            {
                OnConnection = _ => ValueTask.FromResult(certificate.Loaded.Handshake),
                HandshakeTimeout = connections.Limits.HandshakeTimeout,
            }
        );
        listen.Use(next => connection => EnterAsync(connection, next, connections.Unknown, gate));
    }

    private static async Task BeginAsync(ConnectionContext connection, ConnectionDelegate next, BoundedConnections handshakes)
    {
        var handshake = handshakes.Begin(connection);
        connection.Features.Set(handshake);
        try
        {
            if (await PlainHttp.IsTlsAsync(connection))
                await next(connection);
        }
        finally
        {
            handshake.End();
        }
    }

    /// <summary>The handshake is over. Who the client is is found out before its first request, so that no number of unknown clients
    /// takes the place of a known one.</summary>
    private static Task EnterAsync(ConnectionContext connection, ConnectionDelegate next, BoundedConnections unknown, AccessGate gate)
    {
        connection.Features.Get<BoundedConnection>()?.End();
        var presented = connection.Features.Get<ITlsConnectionFeature>()?.ClientCertificate;
        if (gate.Admit(presented, connection.Features.Get<IConnectionLifetimeFeature>()) is not { } client)
            return ServeUnknownAsync(connection, next, unknown);
        connection.Features.Set(client);
        return next(connection);
    }

    private static async Task ServeUnknownAsync(ConnectionContext connection, ConnectionDelegate next, BoundedConnections unknown)
    {
        var place = unknown.Begin(connection);
        connection.Features.Set(new UnknownClient(place));
        try
        {
            await next(connection);
        }
        finally
        {
            place.End();
        }
    }
}
