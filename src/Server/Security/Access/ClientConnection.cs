using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Connections.Features;

namespace Jackdaw.Server.Security;

/// <summary>An open connection whose client was let in by its certificate.</summary>
internal sealed class ClientConnection
{
    private readonly IConnectionLifetimeFeature _lifetime;
    private volatile Access _access;

    public ClientConnection(IConnectionLifetimeFeature lifetime, X509Certificate2 presented, Access access)
    {
        _lifetime = lifetime;
        Presented = presented;
        _access = access;
    }

    /// <summary>The connection's own; it is not disposed here.</summary>
    public X509Certificate2 Presented { get; }

    /// <summary>What the client may do, by what is known of its last request.</summary>
    public Access Access
    {
        get => _access;
        set => _access = value;
    }

    /// <summary>Cancelled when the connection has ended.</summary>
    public CancellationToken Closed => _lifetime.ConnectionClosed;

    /// <summary>Ends the connection at once, whatever is being sent on it.</summary>
    public void Abort() => _lifetime.Abort();
}
