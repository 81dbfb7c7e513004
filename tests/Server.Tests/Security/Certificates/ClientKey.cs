using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Jackdaw.Server.Tests.Security.Certificates;

/// <summary>A client's key, and as many certificates of it as the test wants.</summary>
internal sealed class ClientKey : IDisposable
{
    public const string ForClients = "1.3.6.1.5.5.7.3.2";
    public const string ForServers = "1.3.6.1.5.5.7.3.1";

    private readonly ECDsa _key = ECDsa.Create(ECCurve.NamedCurves.nistP256);

    /// <summary>The clock that the certificates are made by.</summary>
    public ManualClock Clock { get; init; } = new();

    /// <summary>Makes a certificate without its key, as a server gets it.</summary>
    /// <param name="name">Common name.</param>
    /// <param name="from">Days from now.</param>
    /// <param name="to">Days from now.</param>
    /// <param name="usage">The extended key usage; null for none.</param>
    /// <param name="extensionBytes">Makes it so much larger.</param>
    public X509Certificate2 Certificate(
        string name = "client",
        double from = -1,
        double to = 365,
        string? usage = ForClients,
        int extensionBytes = 0
    ) => X509CertificateLoader.LoadCertificate(WithKey(name, from, to, usage, extensionBytes).RawData);

    /// <summary>Makes a certificate with its key.</summary>
    public X509Certificate2 WithKey(
        string name = "client",
        double from = -1,
        double to = 365,
        string? usage = ForClients,
        int extensionBytes = 0
    )
    {
        var request = new CertificateRequest($"CN={name}", _key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(false, false, 0, true));
        if (usage is not null)
            request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid(usage)], critical: true));
        if (extensionBytes > 0)
            request.CertificateExtensions.Add(
                new X509Extension(
                    "1.2.3.4.5",
                    [0x04, 0x82, (byte)(extensionBytes >> 8), (byte)extensionBytes, .. new byte[extensionBytes]],
                    false
                )
            );
        var now = Clock.GetUtcNow();
        return request.CreateSelfSigned(now.AddDays(from), now.AddDays(to));
    }

    public void Dispose() => _key.Dispose();
}
