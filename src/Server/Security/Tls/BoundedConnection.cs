using Microsoft.AspNetCore.Connections;

namespace Jackdaw.Server.Security.Tls;

/// <summary>One connection among <see cref="BoundedConnections"/>.</summary>
internal sealed class BoundedConnection
{
    private readonly BoundedConnections _all;

    public BoundedConnection(BoundedConnections all, ConnectionContext connection, long since)
    {
        _all = all;
        Connection = connection;
        Since = since;
        Node = new LinkedListNode<BoundedConnection>(this);
    }

    public ConnectionContext Connection { get; }

    /// <summary>A timestamp of the clock of all of them: from which its time counts.</summary>
    public long Since { get; set; }

    public LinkedListNode<BoundedConnection> Node { get; }

    /// <summary>Its time begins anew, and it is the last again to make room for another.</summary>
    public void Renew() => _all.Renew(this);

    /// <summary>It is no longer one of them. More than once does no harm.</summary>
    public void End() => _all.Remove(this);
}
