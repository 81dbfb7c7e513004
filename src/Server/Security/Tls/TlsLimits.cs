using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Security.Tls;

/// <summary>The limits of TLS.</summary>
internal sealed record TlsLimits
{
    /// <summary>The largest file with a certificate or a key, in bytes.</summary>
    public const int MaxCertificateFileBytes = 1024 * 1024;

    /// <summary>The most certificates in one file.</summary>
    public const int MaxCertificates = 32;

    public static readonly TlsLimits Default = new();

    /// <summary>How long a client may take from connecting to the end of the handshake.</summary>
    public TimeSpan HandshakeTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Handshakes under way at once. One more ends the oldest, so that clients that never finish theirs do not keep others
    /// out.</summary>
    public int MaxHandshakes { get; init; } = 1024;

    /// <summary>Connections of clients without a known certificate. One more ends the one that has been idle the longest.</summary>
    public int MaxUnknown { get; init; } = 1000;

    /// <summary>How long such a connection may be without a request.</summary>
    public TimeSpan UnknownTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>Those of a configuration. Together, the connections of clients that nobody has let in yet leave room for known
    /// ones.</summary>
    public static TlsLimits Of(ServerConfiguration configuration) =>
        new()
        {
            MaxHandshakes = Math.Max(1, Math.Min(configuration.MaxTlsHandshakes, configuration.MaxConnections / 2)),
            HandshakeTimeout = configuration.TlsHandshakeTimeout,
            MaxUnknown = Math.Max(1, Math.Min(configuration.MaxUnknownConnections, configuration.MaxConnections / 4)),
            UnknownTimeout = configuration.UnknownConnectionTimeout,
        };
}
