using System.Security.Cryptography.X509Certificates;

namespace Akka.Persistence.Jackdaw.Connections;

/// <summary>Client certificates in files.</summary>
internal static class Certificates
{
    /// <summary>Opens a PFX file; null when none is named.</summary>
    public static X509Certificate2? Load(string? path, string? password) =>
        string.IsNullOrEmpty(path)
            ? null
            : X509CertificateLoader.LoadPkcs12FromFile(path, string.IsNullOrEmpty(password) ? null : password);
}
