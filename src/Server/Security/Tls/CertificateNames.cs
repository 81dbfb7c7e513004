using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Security.Tls;

/// <summary>What errors about a certificate call its file, the file of its key, and its password.</summary>
internal sealed record CertificateNames(string Path, string KeyPath, string Password)
{
    public static readonly CertificateNames OfSettings = new(
        KnownSettings.CertificatePath,
        KnownSettings.CertificateKeyPath,
        KnownSettings.CertificatePassword
    );

    public static readonly CertificateNames OfOptions = new("--certificate", "--certificate-key", "--certificate-password");
}
