using Jackdaw.Storage;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace Jackdaw.Server.Http.Upgrading;

/// <summary>
/// Whether a connection is handed over, and the heartbeats by which HTTP looks after its time limits. Those end with HTTP: none may cut a
/// connection that is not HTTP's any more.
/// </summary>
internal sealed class ConnectionHandover : IConnectionHandover, IConnectionHeartbeatFeature
{
    private ConnectionDelegate? _protocol;

    /// <summary>Replaced as a whole, as heartbeats come from another thread.</summary>
    private (Action<object> Action, object State)[] _heartbeats = [];

    /// <summary>The connection does not end with HTTP.</summary>
    public bool IsRequested { get; private set; }

    /// <inheritdoc/>
    public void HandOver(ConnectionDelegate protocol)
    {
        ArgumentNullException.ThrowIfNull(protocol);
        Invariant.Require(!IsRequested);
        _protocol = protocol;
        IsRequested = true;
    }

    /// <inheritdoc/>
    public void OnHeartbeat(Action<object> action, object state) =>
        Volatile.Write(ref _heartbeats, [.. Volatile.Read(ref _heartbeats), (action, state)]);

    /// <summary>A heartbeat of the connection.</summary>
    public void Beat()
    {
        foreach (var (action, state) in Volatile.Read(ref _heartbeats))
            action(state);
    }

    /// <summary>HTTP has ended: everything of it is let go. Returns what the connection was handed over to; null: nothing.</summary>
    public ConnectionDelegate? EndHttp()
    {
        Volatile.Write(ref _heartbeats, []);
        var protocol = _protocol;
        _protocol = null;
        return protocol;
    }
}
