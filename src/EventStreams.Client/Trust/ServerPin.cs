using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Jackdaw.EventStreams.Client.Trust;

/// <summary>
/// Names a server by its certificate's thumbprint, or by its public key, which a renewed certificate can keep. Compiled into this library,
/// into the server, whose commands take the same text as <c>--server-pin</c>, and into the function app.
/// </summary>
internal sealed class ServerPin
{
    private const string Prefix = "pin:";

    private readonly byte[] _hash;
    private readonly bool _isOfKey;

    private ServerPin(byte[] hash, bool isOfKey) => (_hash, _isOfKey) = (hash, isOfKey);

    /// <summary>Reads a thumbprint (SHA-1 or SHA-256, in hexadecimal digits with or without colons), or <c>pin:</c> and the SHA-256 of the
    /// public key in base64.</summary>
    /// <exception cref="FormatException">It is neither; the message says so.</exception>
    public static ServerPin Parse(string text)
    {
        if (text.StartsWith(Prefix, StringComparison.OrdinalIgnoreCase))
        {
            var key = new byte[SHA256.HashSizeInBytes];
            if (Convert.TryFromBase64String(text[Prefix.Length..], key, out var length) && length == key.Length)
                return new ServerPin(key, isOfKey: true);
        }
        else if (Thumbprint(text) is { } hash)
        {
            return new ServerPin(hash, isOfKey: false);
        }
        throw new FormatException(
            $"'{text}' is neither a thumbprint (SHA-1 or SHA-256, hexadecimal) nor '{Prefix}' and the base64 of a public key's SHA-256."
        );
    }

    /// <summary>Returns the pin of a certificate's public key, as <see cref="Parse"/> reads it.</summary>
    public static string Of(X509Certificate2 certificate) => Prefix + Convert.ToBase64String(KeyHash(certificate));

    /// <summary>Returns whether a certificate is the one that is named, or has the key that is named.</summary>
    public bool Names(X509Certificate2 certificate)
    {
        if (_isOfKey)
            return KeyHash(certificate).AsSpan().SequenceEqual(_hash);
        var algorithm = _hash.Length == SHA256.HashSizeInBytes ? HashAlgorithmName.SHA256 : HashAlgorithmName.SHA1;
        return certificate.GetCertHash(algorithm).AsSpan().SequenceEqual(_hash);
    }

    private static byte[] KeyHash(X509Certificate2 certificate) => SHA256.HashData(certificate.PublicKey.ExportSubjectPublicKeyInfo());

    private static byte[]? Thumbprint(string text)
    {
        var digits = text.Replace(":", "", StringComparison.Ordinal).Replace(" ", "", StringComparison.Ordinal);
        if (digits.Length / 2 is not (SHA1.HashSizeInBytes or SHA256.HashSizeInBytes) || !digits.All(char.IsAsciiHexDigit))
            return null;
        return digits.Length % 2 == 0 ? Convert.FromHexString(digits) : null;
    }
}
