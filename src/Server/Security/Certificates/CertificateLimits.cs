namespace Jackdaw.Server.Security.Certificates;

/// <summary>The limits of clients' certificates. None of them is a setting.</summary>
internal static class CertificateLimits
{
    /// <summary>The largest certificate, in bytes of its DER form.</summary>
    public const int MaxCertificateBytes = 64 * 1024;

    /// <summary>The largest upload, in bytes: a PFX or PEM file may hold more than the certificate.</summary>
    public const int MaxUploadBytes = 4 * MaxCertificateBytes;

    /// <summary>Certificates of one server.</summary>
    public const int MaxCertificates = 10_000;

    /// <summary>Characters of a certificate's name.</summary>
    public const int MaxNameLength = 256;

    /// <summary>Databases that one certificate has rights to.</summary>
    public const int MaxRights = 1_000;

    /// <summary>Rights of all certificates together: they are kept in memory.</summary>
    public const int MaxRightsInAll = 100_000;

    /// <summary>The longest validity of a generated certificate, in days.</summary>
    public const int MaxValidityDays = 3_650;

    /// <summary>Entries of the setting <c>Security.WellKnownAdminCertificates</c>.</summary>
    public const int MaxWellKnown = 100;

    /// <summary>Bits of the weakest RSA key that TLS accepts.</summary>
    public const int MinRsaBits = 2_048;

    /// <summary>How long before its end a certificate is told as expiring.</summary>
    public static readonly TimeSpan ExpiryWarning = TimeSpan.FromDays(30);
}
