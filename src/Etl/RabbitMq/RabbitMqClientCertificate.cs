using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl.RabbitMq;

/// <summary>What is shown to a broker that wants to see a certificate. Read anew for each connection: one that is renewed in its
/// place needs no restart.</summary>
internal static class RabbitMqClientCertificate
{
    private const string PemBegin = "-----BEGIN ";
    private const string EncryptedKey = "ENCRYPTED PRIVATE KEY-----";

    /// <summary>Throws <see cref="InvalidConfigurationException"/>, which never shows the password.</summary>
    /// <param name="file">PEM, or PFX (PKCS #12).</param>
    /// <param name="keyFile">PEM; null: the key is in <paramref name="file"/>.</param>
    /// <param name="password">Of the PFX or of the key; null: neither is encrypted.</param>
    public static X509Certificate2 Load(string file, string? keyFile, string? password)
    {
        var certificate = Read(file, keyFile, password);
        if (certificate.HasPrivateKey && certificate.NotAfter.ToUniversalTime() > DateTime.UtcNow)
            return certificate;
        string reason = certificate.HasPrivateKey ? $"ended on {certificate.NotAfter.ToUniversalTime():u}" : "has no private key";
        certificate.Dispose();
        throw new InvalidConfigurationException($"RabbitMQ's ClientCertificateFile '{file}' {reason}.");
    }

    private static X509Certificate2 Read(string file, string? keyFile, string? password)
    {
        try
        {
            byte[] bytes = File.ReadAllBytes(file);
            string pem = Encoding.UTF8.GetString(bytes);
            if (!pem.Contains(PemBegin, StringComparison.Ordinal))
            {
                return keyFile is null
                    ? X509CertificateLoader.LoadPkcs12(bytes, password)
                    : throw new InvalidConfigurationException(
                        $"RabbitMQ's ClientCertificateFile '{file}' is not in PEM "
                            + "form, so it cannot have a ClientCertificateKeyFile beside it."
                    );
            }
            string key = keyFile is null ? pem : File.ReadAllText(keyFile);
            bool isEncrypted = key.Contains(EncryptedKey, StringComparison.Ordinal);
            if (isEncrypted && password is null)
                throw new InvalidConfigurationException(
                    $"The private key in '{keyFile ?? file}' is encrypted: RabbitMQ's ClientCertificatePassword is missing."
                );
            return isEncrypted ? X509Certificate2.CreateFromEncryptedPem(pem, key, password) : X509Certificate2.CreateFromPem(pem, key);
        }
        catch (Exception e)
            when (e is IOException or UnauthorizedAccessException or CryptographicException or ArgumentException or NotSupportedException)
        {
            string with = keyFile is null ? "" : $", with the key in '{keyFile}',";
            throw new InvalidConfigurationException($"RabbitMQ's ClientCertificateFile '{file}'{with} cannot be read: {e.Message}");
        }
    }
}
