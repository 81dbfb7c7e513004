using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace Jackdaw.Server.Security.Tls;

/// <summary>A certificate with its key and the authorities between it and its root, ready for handshakes.</summary>
internal sealed class LoadedCertificate : IDisposable
{
    private LoadedCertificate(X509Certificate2 certificate, X509Certificate2Collection authorities)
    {
        Certificate = certificate;
        Authorities = authorities;
    }

    /// <summary>The server's own, with its private key.</summary>
    public X509Certificate2 Certificate { get; }

    /// <summary>Sent along with it.</summary>
    public X509Certificate2Collection Authorities { get; }

    /// <summary>Made once, for it keeps the native context of all handshakes and the keys of its session tickets: a new certificate has
    /// new ones, so no session of the old one is resumed. Nothing is downloaded for it.</summary>
    public SslServerAuthenticationOptions Handshake => LazyInitializer.EnsureInitialized(ref field, MakeOptions);

    public static LoadedCertificate Of(X509Certificate2 certificate, IEnumerable<X509Certificate2> authorities) =>
        new(certificate, [.. authorities]);

    public void Dispose()
    {
        Certificate.Dispose();
        foreach (var authority in Authorities)
            authority.Dispose();
    }

    private SslServerAuthenticationOptions MakeOptions() =>
        TlsOptions.For(SslStreamCertificateContext.Create(Certificate, Authorities, offline: true));
}
