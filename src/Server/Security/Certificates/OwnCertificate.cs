using System.Security.Cryptography.X509Certificates;
using Jackdaw.Storage;

namespace Jackdaw.Server.Security.Certificates;

/// <summary>The server's own certificate: whoever holds its key is an administrator.</summary>
internal sealed class OwnCertificate
{
    /// <summary>Reserved: what its holder is called.</summary>
    public const string Name = "the server's own certificate";

    public OwnCertificate(X509Certificate2 certificate)
    {
        var bytes = certificate.RawDataMemory.Span;
        Invariant.Require(CertificateFacts.TryRead(bytes, out var facts));
        Facts = facts;
        Access = new Access
        {
            Name = Name,
            Thumbprint = CertificateFacts.Thumbprint(bytes),
            Clearance = Clearance.ClusterAdmin,
        };
        Identification = Identification.Of(Access);
    }

    public CertificateFacts Facts { get; }

    public Access Access { get; }

    public Identification Identification { get; }
}
