using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;

namespace Jackdaw.Server.Security.Certificates;

/// <summary>A certificate as people give it: DER, PEM, or PFX. Only the certificate is kept of it.</summary>
/// <param name="Certificate">DER.</param>
/// <param name="HadPrivateKey">A private key was in it, and was thrown away.</param>
internal sealed record CertificateUpload(byte[] Certificate, bool HadPrivateKey)
{
    private const string Pem = "-----BEGIN ";

    /// <summary>Reads what a request gives: base64 of a file, or the text of a PEM file.</summary>
    /// <exception cref="CertificateException">It is neither.</exception>
    public static CertificateUpload FromText(string text, string? password)
    {
        if (text.Contains(Pem, StringComparison.Ordinal))
            return FromFile(Encoding.UTF8.GetBytes(text), password);
        var bytes = new byte[text.Length / 4 * 3 + 3];
        if (!Convert.TryFromBase64String(text, bytes, out var length))
            throw new CertificateException("The certificate is neither base64 nor PEM. Give the base64 of a DER, PEM or PFX file.");
        return FromFile(bytes.AsSpan(0, length), password);
    }

    /// <summary>Reads the bytes of a file.</summary>
    /// <exception cref="CertificateException">They are no certificate, or more than one and none has a key.</exception>
    public static CertificateUpload FromFile(ReadOnlySpan<byte> file, string? password)
    {
        if (file.IsEmpty)
            throw new CertificateException("The certificate is empty.");
        if (CertificateFacts.TryRead(file, out _))
            return new CertificateUpload(file.ToArray(), HadPrivateKey: false);
        if (file.Length > CertificateLimits.MaxUploadBytes)
            throw new CertificateException(
                $"The certificate's file has {file.Length:N0} bytes; the limit is {CertificateLimits.MaxUploadBytes:N0} "
                    + "(CertificateLimits.MaxUploadBytes)."
            );
        return file.IndexOf("-----BEGIN "u8) >= 0 ? FromPem(Encoding.UTF8.GetString(file)) : FromPfx(file, password);
    }

    /// <summary>The first certificate is the client's; those behind it are of its issuers.</summary>
    private static CertificateUpload FromPem(string text)
    {
        byte[]? certificate = null;
        var hadKey = false;
        for (ReadOnlySpan<char> rest = text; PemEncoding.TryFind(rest, out var fields); rest = rest[fields.Location.End..])
        {
            var label = rest[fields.Label];
            hadKey |= label.EndsWith("PRIVATE KEY", StringComparison.Ordinal);
            if (certificate is not null || label is not "CERTIFICATE")
                continue;
            certificate = Convert.FromBase64String(rest[fields.Base64Data].ToString());
            if (!CertificateFacts.TryRead(certificate, out _))
                throw new CertificateException("The first CERTIFICATE in the PEM text is not an X.509 certificate.");
        }
        return certificate is null
            ? throw new CertificateException("The PEM text holds no CERTIFICATE.")
            : new CertificateUpload(certificate, hadKey);
    }

    private static CertificateUpload FromPfx(ReadOnlySpan<byte> file, string? password)
    {
        X509Certificate2Collection all;
        try
        {
            all = X509CertificateLoader.LoadPkcs12Collection(file, password, X509KeyStorageFlags.EphemeralKeySet);
        }
        catch (CryptographicException e)
        {
            // A file that is no PFX at all fails as one of which the password is wrong.
            throw new CertificateException(
                password is null
                    ? "The file is neither a DER or PEM certificate nor a PFX file without a password. Give the password with a PFX file."
                    : "The PFX file cannot be opened: its password is another one, or the file is damaged.",
                e
            );
        }
        try
        {
            var client = all.FirstOrDefault(one => one.HasPrivateKey) ?? (all.Count == 1 ? all[0] : null);
            if (client is null)
                throw new CertificateException(
                    $"The PFX file holds {all.Count} certificates and no private key, so the client's cannot be told "
                        + "from the others. Give it alone."
                );
            return new CertificateUpload(client.RawData, client.HasPrivateKey);
        }
        finally
        {
            foreach (var one in all)
                one.Dispose();
        }
    }
}
