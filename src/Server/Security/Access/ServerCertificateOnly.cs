using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Server.Security.Tls;

namespace Jackdaw.Server.Security;

/// <summary>Knows the server's own certificate alone, as it is now; its holder is an administrator.</summary>
internal sealed class ServerCertificateOnly : ICertificateIdentification
{
    private volatile Known _known;
    private int _version;

    public ServerCertificateOnly(ServerCertificate certificate)
    {
        _known = new Known(certificate.Current);
        certificate.Changed += current =>
        {
            _known = new Known(current);
            Interlocked.Increment(ref _version);
        };
    }

    /// <inheritdoc/>
    public int Version => Volatile.Read(ref _version);

    /// <inheritdoc/>
    public Identification Identify(X509Certificate2 presented)
    {
        var known = _known;
        return CryptographicOperations.FixedTimeEquals(presented.GetCertHash(HashAlgorithmName.SHA256), known.Hash)
            ? known.Administrator
            : Identification.Denied(
                $"The server does not know the client certificate '{presented.Subject}' (thumbprint {presented.Thumbprint})."
            );
    }

    private sealed class Known(X509Certificate2 certificate)
    {
        public byte[] Hash { get; } = certificate.GetCertHash(HashAlgorithmName.SHA256);

        public Identification Administrator { get; } =
            Identification.Of(
                new Access
                {
                    Name = "the server's own certificate",
                    Thumbprint = certificate.Thumbprint,
                    Clearance = Clearance.ClusterAdmin,
                }
            );
    }
}
