using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Jackdaw.Server.Security.Tls;

/// <summary>A private key out of a PEM file: RSA or on an elliptic curve.</summary>
internal sealed class PemKey : IDisposable
{
    private const string Encrypted = "ENCRYPTED PRIVATE KEY";

    private readonly AsymmetricAlgorithm _key;
    private readonly byte[] _public;

    private PemKey(AsymmetricAlgorithm key)
    {
        _key = key;
        _public = key.ExportSubjectPublicKeyInfo();
    }

    /// <exception cref="CertificateFileException">There is no key, more than one, a wrong password, or a kind of key that TLS does not
    /// take here.</exception>
    public static PemKey Open(string text, string? password, string what, CertificateNames names)
    {
        var keys = Blocks(text).Where(block => block.Label.EndsWith("PRIVATE KEY", StringComparison.Ordinal)).ToArray();
        if (keys.Length == 0)
            throw new CertificateFileException(
                $"{what} holds no private key. Add the key to the file, or name its file in {names.KeyPath}."
            );
        if (keys.Length > 1)
            throw new CertificateFileException($"{what} holds {keys.Length} private keys; leave only the server's own in it.");
        var (label, block) = keys[0];
        if (label == Encrypted && string.IsNullOrEmpty(password))
            throw new CertificateFileException($"{what} holds an encrypted key: it needs a password ({names.Password}).");
        if (block.Contains("Proc-Type:", StringComparison.Ordinal))
            throw new CertificateFileException($"{what} holds a key in OpenSSL's old encryption. Convert it: openssl pkcs8 -topk8.");
        Exception? failure = null;
        foreach (var make in (ReadOnlySpan<Func<AsymmetricAlgorithm>>)[RSA.Create, ECDsa.Create])
        {
            var key = make();
            try
            {
                if (label == Encrypted)
                    key.ImportFromEncryptedPem(block, password);
                else
                    key.ImportFromPem(block);
                return new PemKey(key);
            }
            catch (Exception e) when (e is CryptographicException or ArgumentException)
            {
                failure = e;
                key.Dispose();
            }
        }
        throw new CertificateFileException(
            label == Encrypted
                ? $"{what} holds an encrypted key that does not open: the password ({names.Password}) is wrong, "
                    + "or the key is neither RSA nor on an elliptic curve of TLS."
                : $"{what} holds a key that does not open: it is damaged, or neither RSA nor on an elliptic curve of TLS.",
            failure!
        );
    }

    public bool BelongsTo(X509Certificate2 certificate) =>
        certificate.PublicKey.ExportSubjectPublicKeyInfo().AsSpan().SequenceEqual(_public);

    /// <summary>The certificate with this key; the caller's.</summary>
    public X509Certificate2 CopyTo(X509Certificate2 certificate) =>
        _key switch
        {
            RSA rsa => certificate.CopyWithPrivateKey(rsa),
            ECDsa curve => certificate.CopyWithPrivateKey(curve),
            _ => throw new InvalidOperationException($"A key of the type {_key.GetType()} was opened."),
        };

    public void Dispose() => _key.Dispose();

    private static IEnumerable<(string Label, string Block)> Blocks(string text)
    {
        for (var rest = text; PemEncoding.TryFind(rest, out var found); )
        {
            yield return (rest[found.Label], rest[found.Location]);
            rest = rest[found.Location.End..];
        }
    }
}
