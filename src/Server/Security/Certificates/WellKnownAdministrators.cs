using System.Collections.Frozen;
using System.Security.Cryptography;
using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Security.Certificates;

/// <summary>The certificates that the setting <c>Security.WellKnownAdminCertificates</c> makes administrators. They have no
/// record.</summary>
internal sealed class WellKnownAdministrators
{
    private const string PinPrefix = "pin:";

    /// <summary>Of a server that was told none.</summary>
    public static readonly WellKnownAdministrators None = new([]);

    private readonly FrozenSet<CertificateHash> _hashes;
    private readonly FrozenSet<CertificateHash> _pins;
    private readonly FrozenSet<string> _thumbprints;

    private WellKnownAdministrators(IReadOnlyList<string> entries)
    {
        Entries = entries;
        var pins = entries.Where(IsPin).ToArray();
        var hexadecimal = entries.Except(pins).ToArray();
        _pins = pins.Select(pin => CertificateHash.FromBytes(Convert.FromBase64String(pin[PinPrefix.Length..]))).ToFrozenSet();
        _hashes = hexadecimal
            .Where(entry => entry.Length == 2 * SHA256.HashSizeInBytes)
            .Select(entry => CertificateHash.FromBytes(Convert.FromHexString(entry)))
            .ToFrozenSet();
        _thumbprints = hexadecimal.Where(IsSha1).ToFrozenSet(StringComparer.Ordinal);
    }

    /// <summary>As they are listed: capital hexadecimal digits, or a pin.</summary>
    public IReadOnlyList<string> Entries { get; }

    /// <summary>A sentence for the log when an entry is a SHA-1 thumbprint; null otherwise.</summary>
    public string? Warning =>
        _thumbprints.Count == 0
            ? null
            : $"{KnownSettings.WellKnownAdminCertificates} names {string.Join(", ", _thumbprints.Order())} by SHA-1, which is no longer "
                + "considered secure. Name the certificate by its SHA-256 thumbprint, or by the pin of its public key.";

    /// <summary>Reads the setting: thumbprints (SHA-1 or SHA-256, hexadecimal) or pins (<c>pin:</c> and the base64 of the SHA-256 of
    /// the public key), separated by commas or semicolons.</summary>
    /// <exception cref="ConfigurationException">An entry is none of these.</exception>
    public static WellKnownAdministrators Parse(string? setting)
    {
        var entries = (setting ?? "")
            .Split([',', ';'], StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)
            .Select(Normalized)
            .Distinct(StringComparer.Ordinal)
            .ToArray();
        if (entries.Length > CertificateLimits.MaxWellKnown)
            throw new ConfigurationException(
                $"{KnownSettings.WellKnownAdminCertificates} names {entries.Length} certificates; the limit is "
                    + $"{CertificateLimits.MaxWellKnown}."
            );
        return entries.Length == 0 ? None : new WellKnownAdministrators(entries);
    }

    /// <summary>Returns whether the setting names a certificate.</summary>
    public bool Contains(in CertificateFacts facts, ReadOnlySpan<byte> certificate) =>
        _hashes.Contains(facts.Hash)
        || _pins.Contains(facts.Pin)
        || (_thumbprints.Count > 0 && _thumbprints.Contains(CertificateFacts.Thumbprint(certificate)));

    private static bool IsPin(string entry) => entry.StartsWith(PinPrefix, StringComparison.OrdinalIgnoreCase);

    private static bool IsSha1(string entry) => entry.Length == 2 * SHA1.HashSizeInBytes;

    private static string Normalized(string entry)
    {
        if (IsPin(entry))
        {
            var hash = new byte[SHA256.HashSizeInBytes + 1];
            if (Convert.TryFromBase64String(entry[PinPrefix.Length..], hash, out var length) && length == SHA256.HashSizeInBytes)
                return PinPrefix + Convert.ToBase64String(hash, 0, length);
        }
        else
        {
            var digits = Thumbprints.Normalized(entry);
            if ((IsSha1(digits) || digits.Length == 2 * SHA256.HashSizeInBytes) && digits.All(char.IsAsciiHexDigit))
                return digits;
        }
        throw new ConfigurationException(
            $"{KnownSettings.WellKnownAdminCertificates} names '{entry}', which is neither a thumbprint (40 or 64 hexadecimal digits) "
                + $"nor '{PinPrefix}' and the base64 of a public key's SHA-256."
        );
    }
}
