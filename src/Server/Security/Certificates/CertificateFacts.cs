using System.Formats.Asn1;
using System.Security.Cryptography;

namespace Jackdaw.Server.Security.Certificates;

/// <summary>What the server reads of a certificate (RFC 5280), from its bytes and without allocating: the same of one that is stored
/// and of one that a client presents.</summary>
internal readonly struct CertificateFacts
{
    /// <summary>The last year of a two-digit date (RFC 5280, 4.1.2.5.1).</summary>
    private const int TwoDigitYearMax = 2049;

    private const AsnEncodingRules Rules = AsnEncodingRules.BER;

    private static readonly Asn1Tag s_version = new(TagClass.ContextSpecific, 0, isConstructed: true);
    private static readonly Asn1Tag s_extensions = new(TagClass.ContextSpecific, 3, isConstructed: true);

    /// <summary>The SHA-256 of the certificate's bytes.</summary>
    public CertificateHash Hash { get; private init; }

    /// <summary>The SHA-256 of the public key (SubjectPublicKeyInfo).</summary>
    public CertificateHash Pin { get; private init; }

    /// <summary>Inclusive, UTC.</summary>
    public DateTime NotBefore { get; private init; }

    /// <summary>Inclusive, UTC.</summary>
    public DateTime NotAfter { get; private init; }

    /// <summary>False when the certificate has an extended key usage that does not allow client authentication.</summary>
    public bool IsForClients { get; private init; }

    private static ReadOnlySpan<byte> ExtendedKeyUsage => [0x55, 0x1D, 0x25];

    private static ReadOnlySpan<byte> AnyUsage => [0x55, 0x1D, 0x25, 0x00];

    private static ReadOnlySpan<byte> ClientAuthentication => [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02];

    /// <summary>Returns false for bytes that are not exactly one certificate.</summary>
    public static bool TryRead(ReadOnlySpan<byte> certificate, out CertificateFacts facts)
    {
        try
        {
            facts = Read(certificate);
            return true;
        }
        catch (AsnContentException)
        {
            facts = default;
            return false;
        }
    }

    /// <summary>The SHA-1 thumbprint as the protocol shows it: capital hexadecimal digits.</summary>
    public static string Thumbprint(ReadOnlySpan<byte> certificate)
    {
        Span<byte> hash = stackalloc byte[SHA1.HashSizeInBytes];
#pragma warning disable CA5350 // A name, as the protocol has it; nobody is let in by it.
        SHA1.HashData(certificate, hash);
#pragma warning restore CA5350
        return Convert.ToHexString(hash);
    }

    private static CertificateFacts Read(ReadOnlySpan<byte> certificate)
    {
        var outer = certificate;
        var whole = Sequence(ref outer);
        if (!outer.IsEmpty)
            throw new AsnContentException("There are bytes behind the certificate.");
        var body = Sequence(ref whole);
        Sequence(ref whole);
        Skip(ref whole);
        if (Asn1Tag.Decode(body, out _) == s_version)
            Skip(ref body);
        // Serial number, signature algorithm, issuer.
        Skip(ref body);
        Sequence(ref body);
        Sequence(ref body);
        var validity = Sequence(ref body);
        var notBefore = Time(ref validity);
        var notAfter = Time(ref validity);
        // Subject.
        Sequence(ref body);
        var key = Skip(ref body);
        Sequence(ref key, out var pinned);
        var isForClients = true;
        while (!body.IsEmpty)
        {
            if (Asn1Tag.Decode(body, out _) == s_extensions)
                isForClients = AllowsClients(Sequence(ref body, s_extensions));
            else
                Skip(ref body);
        }
        return new CertificateFacts
        {
            Hash = CertificateHash.Of(certificate),
            Pin = CertificateHash.Of(pinned),
            NotBefore = notBefore,
            NotAfter = notAfter,
            IsForClients = isForClients,
        };
    }

    private static bool AllowsClients(ReadOnlySpan<byte> wrapped)
    {
        var extensions = Sequence(ref wrapped);
        while (!extensions.IsEmpty)
        {
            var extension = Sequence(ref extensions);
            if (!Content(Skip(ref extension)).SequenceEqual(ExtendedKeyUsage))
                continue;
            if (Asn1Tag.Decode(extension, out _) == Asn1Tag.Boolean)
                Skip(ref extension);
            var octets = Content(Skip(ref extension));
            var usages = Sequence(ref octets);
            while (!usages.IsEmpty)
            {
                var usage = Content(Skip(ref usages));
                if (usage.SequenceEqual(ClientAuthentication) || usage.SequenceEqual(AnyUsage))
                    return true;
            }
            return false;
        }
        return true;
    }

    private static ReadOnlySpan<byte> Sequence(scoped ref ReadOnlySpan<byte> source, Asn1Tag? tag = null)
    {
        AsnDecoder.ReadSequence(source, Rules, out var offset, out var length, out var consumed, tag);
        var content = source.Slice(offset, length);
        source = source[consumed..];
        return content;
    }

    private static void Sequence(scoped ref ReadOnlySpan<byte> source, out ReadOnlySpan<byte> whole)
    {
        var before = source;
        Sequence(ref source);
        whole = before[..^source.Length];
    }

    /// <summary>Returns the value with its tag.</summary>
    private static ReadOnlySpan<byte> Skip(scoped ref ReadOnlySpan<byte> source)
    {
        AsnDecoder.ReadEncodedValue(source, Rules, out _, out _, out var consumed);
        var value = source[..consumed];
        source = source[consumed..];
        return value;
    }

    private static ReadOnlySpan<byte> Content(ReadOnlySpan<byte> value)
    {
        AsnDecoder.ReadEncodedValue(value, Rules, out var offset, out var length, out _);
        return value.Slice(offset, length);
    }

    private static DateTime Time(scoped ref ReadOnlySpan<byte> source)
    {
        var time =
            Asn1Tag.Decode(source, out _) == Asn1Tag.UtcTime
                ? AsnDecoder.ReadUtcTime(source, Rules, out var consumed, TwoDigitYearMax)
                : AsnDecoder.ReadGeneralizedTime(source, Rules, out consumed);
        source = source[consumed..];
        return time.UtcDateTime;
    }
}
