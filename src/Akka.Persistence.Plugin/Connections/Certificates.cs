using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Akka.Configuration;

namespace Akka.Persistence.Jackdaw.Connections;

/// <summary>Certificates in files: the client's, and those of authorities.</summary>
internal static class Certificates
{
    /// <summary>Opens a PEM file with certificates of authorities; null when none is named.</summary>
    /// <param name="file">The file; null or empty: none.</param>
    /// <param name="setting">The setting that names the file, for errors.</param>
    /// <exception cref="ConfigurationException">The file cannot be read, or holds no certificate.</exception>
    public static X509Certificate2Collection? LoadAuthorities(string? file, string setting)
    {
        if (string.IsNullOrEmpty(file))
            return null;
        var authorities = new X509Certificate2Collection();
        try
        {
            authorities.ImportFromPemFile(file);
        }
        catch (Exception e) when (e is CryptographicException or IOException or UnauthorizedAccessException)
        {
            throw new ConfigurationException(
                $"{setting} names the file '{file}', which cannot be read: {e.Message} It must be a PEM file that this process may read.",
                e
            );
        }
        return authorities.Count > 0
            ? authorities
            : throw new ConfigurationException(
                $"{setting} names the file '{file}', which holds no certificate: a PEM file has the line -----BEGIN CERTIFICATE-----."
            );
    }

    /// <summary>Opens a PFX file; null when none is named.</summary>
    /// <param name="file">The file; null or empty: none.</param>
    /// <param name="password">Its password; null or empty: it has none.</param>
    /// <param name="setting">The setting that names the file, for errors.</param>
    /// <exception cref="ConfigurationException">The file cannot be read, or holds no certificate with a private key.</exception>
    public static X509Certificate2? Load(string? file, string? password, string setting)
    {
        if (string.IsNullOrEmpty(file))
            return null;
        X509Certificate2 certificate;
        try
        {
            certificate = X509CertificateLoader.LoadPkcs12FromFile(file, string.IsNullOrEmpty(password) ? null : password);
        }
        catch (Exception e) when (e is CryptographicException or IOException or UnauthorizedAccessException)
        {
            throw new ConfigurationException(
                $"{setting} names the file '{file}', which cannot be opened as a client certificate: {e.Message} It must be a PFX file "
                    + "that this process may read; its password belongs in certificate-password.",
                e
            );
        }
        if (certificate.HasPrivateKey)
            return certificate;
        certificate.Dispose();
        throw new ConfigurationException(
            $"{setting} names the file '{file}', whose certificate has no private key, so it cannot identify this process. Export the "
                + "certificate together with its private key."
        );
    }
}
