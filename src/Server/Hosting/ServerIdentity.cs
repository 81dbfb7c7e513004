using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Jackdaw.Server.Hosting;

/// <summary>Whether a server is the one that is meant: by a pin, by the server's own certificate where its file can be read here, or by
/// what this machine trusts.</summary>
internal sealed class ServerIdentity
{
    private const string PinPrefix = "pin:";

    private readonly string? _pin;
    private readonly X509Certificate2? _own;

    /// <param name="pin">A thumbprint (SHA-1 or SHA-256, in hexadecimal digits), or <c>pin:</c> and the SHA-256 of the public key in
    /// base64; null: none.</param>
    /// <param name="own">The server's certificate as the settings have it; null where it cannot be read here.</param>
    public ServerIdentity(string? pin, X509Certificate2? own)
    {
        _pin = pin?.Replace(":", "", StringComparison.Ordinal).Replace(" ", "", StringComparison.Ordinal);
        if (pin?.StartsWith(PinPrefix, StringComparison.OrdinalIgnoreCase) == true)
            _pin = pin[PinPrefix.Length..];
        _own = own;
    }

    /// <summary>Why the last server that was met is not the one; null: it is, or none was met.</summary>
    public string? Refusal { get; private set; }

    /// <summary>The pin of a certificate's public key.</summary>
    public static string PinOf(X509Certificate2 certificate) =>
        PinPrefix + Convert.ToBase64String(SHA256.HashData(certificate.PublicKey.ExportSubjectPublicKeyInfo()));

    /// <summary>For a handshake: whether the server may be talked to.</summary>
    public bool IsMeant(X509Certificate? presented, SslPolicyErrors errors)
    {
        Refusal = null;
        if (presented is not X509Certificate2 certificate)
            Refusal = "The server presented no certificate.";
        else if (_pin is not null)
            Refusal = IsPinned(certificate) ? null : $"{Describe(certificate)}, and --server-pin names another one.";
        else if (errors != SslPolicyErrors.None && !IsOwn(certificate))
            Refusal =
                $"{Describe(certificate)}, which this machine does not trust ({errors}). If it is the right server, "
                + $"say --server-pin={PinOf(certificate)}.";
        return Refusal is null;
    }

    private static string Describe(X509Certificate2 certificate) =>
        $"The server presented the certificate '{certificate.Subject}' (thumbprint {certificate.Thumbprint})";

    private bool IsOwn(X509Certificate2 certificate) =>
        _own?.GetCertHashString(HashAlgorithmName.SHA256) == certificate.GetCertHashString(HashAlgorithmName.SHA256);

    private bool IsPinned(X509Certificate2 certificate) =>
        string.Equals(_pin, certificate.Thumbprint, StringComparison.OrdinalIgnoreCase)
        || string.Equals(_pin, certificate.GetCertHashString(HashAlgorithmName.SHA256), StringComparison.OrdinalIgnoreCase)
        || _pin == PinOf(certificate)[PinPrefix.Length..];
}
