using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Jackdaw.Server.Security.Tls;

/// <summary>What a connection goes through on a port of TLS: its place among the handshakes, a look at its first bytes, the
/// handshake.</summary>
internal static class TlsListening
{
    public static void UseTls(this ListenOptions listen, ServerCertificate certificate, Handshakes handshakes, TlsLimits limits)
    {
        listen.Use(next => connection => BeginAsync(connection, next, handshakes));
        listen.UseHttps(
            new TlsHandshakeCallbackOptions
            {
                OnConnection = _ => ValueTask.FromResult(certificate.Loaded.Handshake),
                HandshakeTimeout = limits.HandshakeTimeout,
            }
        );
        listen.Use(next =>
            connection =>
            {
                connection.Features.Get<Handshake>()?.End();
                return next(connection);
            }
        );
    }

    private static async Task BeginAsync(ConnectionContext connection, ConnectionDelegate next, Handshakes handshakes)
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
}
