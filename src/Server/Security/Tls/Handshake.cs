using Microsoft.AspNetCore.Connections;

namespace Jackdaw.Server.Security.Tls;

/// <summary>One connection, from its first moment to the end of its handshake.</summary>
internal sealed class Handshake
{
    private readonly Handshakes _all;

    public Handshake(Handshakes all, ConnectionContext connection, long beganAt)
    {
        _all = all;
        Connection = connection;
        BeganAt = beganAt;
        Node = new LinkedListNode<Handshake>(this);
    }

    public ConnectionContext Connection { get; }

    /// <summary>A timestamp of the clock of all handshakes.</summary>
    public long BeganAt { get; }

    public LinkedListNode<Handshake> Node { get; }

    /// <summary>The handshake is over. More than once does no harm.</summary>
    public void End() => _all.Remove(this);
}
