using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Jackdaw.Server.Http.Upgrading;

/// <summary>
/// Connections that can leave HTTP. Kestrel keeps all that it has for requests (parser, headers, features, streams: 5 KB) for as long as a
/// request's handler runs. A connection that is handed over outlives its request instead, and keeps its socket and two pipes.
/// </summary>
internal static class UpgradableConnections
{
    /// <summary>Gives each connection the feature <see cref="IConnectionHandover"/>.</summary>
    /// <param name="listen">The port, with everything that comes before HTTP.</param>
    public static void UseHandovers(this ListenOptions listen) => listen.Use(next => connection => RunAsync(connection, next));

    private static async Task RunAsync(ConnectionContext connection, ConnectionDelegate http)
    {
        var transport = connection.Transport;
        if (await RunHttpAsync(connection, http) is not { } protocol)
            return;
        connection.Transport = transport;
        try
        {
            await protocol(connection);
        }
        finally
        {
            await transport.Input.CompleteAsync();
            await transport.Output.CompleteAsync();
        }
    }

    /// <summary>Ends with the last request. Returns what the connection was handed over to; null: nothing. In a method of its own, so that
    /// nothing of HTTP is held while the protocol runs.</summary>
    private static async Task<ConnectionDelegate?> RunHttpAsync(ConnectionContext connection, ConnectionDelegate http)
    {
        var handover = new ConnectionHandover();
        connection.Features.Set<IConnectionHandover>(handover);
        connection.Transport = new HttpTransport(connection.Transport, handover);
        if (connection.Features.Get<IConnectionHeartbeatFeature>() is { } heartbeat)
        {
            heartbeat.OnHeartbeat(static handover => ((ConnectionHandover)handover).Beat(), handover);
            connection.Features.Set<IConnectionHeartbeatFeature>(handover);
        }
        await http(connection);
        return handover.EndHttp();
    }
}
