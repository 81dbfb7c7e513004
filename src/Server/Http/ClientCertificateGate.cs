using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Jackdaw.Server.Http;

/// <summary>Over https only the holder of the server's own certificate is let in.</summary>
internal sealed class ClientCertificateGate
{
    private readonly byte[] _thumbprint;

    public ClientCertificateGate(X509Certificate2 serverCertificate) =>
        _thumbprint = serverCertificate.GetCertHash(HashAlgorithmName.SHA256);

    /// <exception cref="AccessDeniedException">The client presented no certificate, or another one.</exception>
    public void Require(RequestContext request)
    {
        var certificate =
            request.Http.Connection.ClientCertificate
            ?? throw new AccessDeniedException("This server asks for a client certificate, and none was presented.");
        if (!CryptographicOperations.FixedTimeEquals(certificate.GetCertHash(HashAlgorithmName.SHA256), _thumbprint))
            throw new AccessDeniedException($"The client certificate '{certificate.Subject}' is not one that this server knows.");
    }
}
