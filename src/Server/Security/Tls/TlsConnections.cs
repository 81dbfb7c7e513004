namespace Jackdaw.Server.Security.Tls;

/// <summary>The connections of a server that nobody has let in yet: those in their handshake, and those of clients whom the server does not
/// know.</summary>
internal sealed class TlsConnections : IDisposable
{
    public TlsConnections(TlsLimits limits, TimeProvider? clock = null)
    {
        Limits = limits;
        Handshakes = new BoundedConnections(
            new ConnectionBound(
                limits.MaxHandshakes,
                limits.HandshakeTimeout,
                $"{limits.MaxHandshakes} TLS handshakes are under way (Limits.MaxTlsHandshakes), and this is the oldest.",
                $"The TLS handshake took longer than {limits.HandshakeTimeout} (Limits.TlsHandshakeTimeoutInSec)."
            ),
            clock
        );
        Unknown = new BoundedConnections(
            new ConnectionBound(
                limits.MaxUnknown,
                limits.UnknownTimeout,
                $"{limits.MaxUnknown} clients without a known certificate are connected (Limits.MaxUnknownConnections), and this one has "
                    + "been idle the longest.",
                $"The client has no known certificate and sent no request for {limits.UnknownTimeout} "
                    + "(Limits.UnknownConnectionTimeoutInSec)."
            ),
            clock
        );
    }

    public TlsLimits Limits { get; }

    /// <summary>Those from their first moment to the end of their handshake.</summary>
    public BoundedConnections Handshakes { get; }

    /// <summary>Those of clients without a certificate that the server accepts. A request that anyone may send renews it.</summary>
    public BoundedConnections Unknown { get; }

    public void Dispose()
    {
        Handshakes.Dispose();
        Unknown.Dispose();
    }
}
