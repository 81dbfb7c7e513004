using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Jackdaw.Server.Security.Tls;

/// <summary>How the server speaks TLS.</summary>
internal static class TlsOptions
{
    /// <summary>
    /// TLS 1.2 or 1.3, HTTP/1.1. A client is asked for a certificate and need not have one, and whatever it presents ends no handshake:
    /// each request is judged on its own, so that a refusal is an answer that says why.
    /// </summary>
    public static SslServerAuthenticationOptions For(SslStreamCertificateContext certificate) =>
        new()
        {
            ServerCertificateContext = certificate,
            EnabledSslProtocols = SslProtocols.Tls12 | SslProtocols.Tls13,
            ApplicationProtocols = [SslApplicationProtocol.Http11],
            ClientCertificateRequired = true,
#pragma warning disable CA5359 // It is the client's certificate, and the gate judges it.
            RemoteCertificateValidationCallback = static (_, _, _, _) => true,
#pragma warning restore CA5359
            CertificateChainPolicy = NoChain(),
            CertificateRevocationCheckMode = X509RevocationMode.NoCheck,
            AllowRenegotiation = false,
        };

    /// <summary>Trust is by thumbprint or key, so nothing is made of the client's chain; and nothing is downloaded on a stranger's word:
    /// a certificate may name any address as its authority's.</summary>
    private static X509ChainPolicy NoChain() =>
        new()
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            RevocationMode = X509RevocationMode.NoCheck,
            DisableCertificateDownloads = true,
            VerificationFlags = X509VerificationFlags.AllFlags,
        };
}
