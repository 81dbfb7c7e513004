using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Jackdaw.Server.Security;

/// <summary>Knows the server's own certificate alone; its holder is an administrator.</summary>
internal sealed class ServerCertificateOnly : ICertificateIdentification
{
    private readonly byte[] _hash;
    private readonly Identification _administrator;

    public ServerCertificateOnly(X509Certificate2 serverCertificate)
    {
        _hash = serverCertificate.GetCertHash(HashAlgorithmName.SHA256);
        _administrator = Identification.Of(
            new Access
            {
                Name = "the server's own certificate",
                Thumbprint = serverCertificate.Thumbprint,
                Clearance = Clearance.ClusterAdmin,
            }
        );
    }

    /// <inheritdoc/>
    public int Version => 0;

    /// <inheritdoc/>
    public Identification Identify(X509Certificate2 presented) =>
        CryptographicOperations.FixedTimeEquals(presented.GetCertHash(HashAlgorithmName.SHA256), _hash)
            ? _administrator
            : Identification.Denied(
                $"The server does not know the client certificate '{presented.Subject}' (thumbprint {presented.Thumbprint})."
            );
}
