using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>A certificate for both sides of the connections of a run: RSA with 2,048 bits, as authorities issue most.</summary>
internal static class BenchCertificate
{
    private static readonly Lazy<X509Certificate2> s_certificate = new(Make);

    public static X509Certificate2 Certificate => s_certificate.Value;

    public static SslStreamCertificateContext Context { get; } = SslStreamCertificateContext.Create(Certificate, null, offline: true);

    /// <summary>Writes it as a PFX file without a password.</summary>
    public static string Write(string folder)
    {
        var path = Path.Combine(folder, "bench.pfx");
        File.WriteAllBytes(path, Certificate.Export(X509ContentType.Pfx));
        return path;
    }

    private static X509Certificate2 Make()
    {
        using var key = RSA.Create(2048);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        request.CertificateExtensions.Add(names.Build());
        using var made = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(60));
        return X509CertificateLoader.LoadPkcs12(made.Export(X509ContentType.Pfx), null, X509KeyStorageFlags.Exportable);
    }
}
