using System.Globalization;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;

namespace Jackdaw.Server.Security.Tls;

/// <summary>Makes a certificate with its key of the contents of files, or says what is wrong with them.</summary>
internal static class CertificateOpening
{
    private static readonly byte[] s_pemBegin = "-----BEGIN "u8.ToArray();

    public static bool IsPem(byte[] contents) => contents.AsSpan().IndexOf(s_pemBegin) >= 0;

    /// <summary>Opens what was read.</summary>
    /// <exception cref="CertificateFileException">The password is wrong, there is no certificate or no key, or the key belongs to another
    /// certificate.</exception>
    public static LoadedCertificate Open(CertificateFiles files, CertificateContents contents)
    {
        var what = $"The file '{files.Path}' ({files.Names.Path})";
        if (IsPem(contents.Certificate))
            return OpenPem(files, contents, what);
        if (files.KeyPath is not null)
            throw new CertificateFileException(
                $"{what} is no PEM file. Remove {files.Names.KeyPath} if it is a PFX file, which holds its key itself."
            );
        return OpenPfx(contents.Certificate, files.Password, what, files.Names.Password);
    }

    /// <summary>Opens a PFX file.</summary>
    /// <param name="contents">The file.</param>
    /// <param name="password">Null or "": none.</param>
    /// <param name="what">Begins the sentences of errors.</param>
    /// <param name="passwordName">What errors call the password.</param>
    /// <exception cref="CertificateFileException">As for <see cref="Open"/>.</exception>
    public static LoadedCertificate OpenPfx(byte[] contents, string? password, string what, string passwordName)
    {
        X509Certificate2Collection all;
        try
        {
            all = X509CertificateLoader.LoadPkcs12Collection(contents, password, X509KeyStorageFlags.Exportable);
        }
        catch (CryptographicException e) when (IsWrongPassword(e))
        {
            throw new CertificateFileException(
                $"{what} does not open: "
                    + (
                        string.IsNullOrEmpty(password)
                            ? $"it needs a password ({passwordName})."
                            : $"the password ({passwordName}) is wrong."
                    ),
                e
            );
        }
        catch (CryptographicException e)
        {
            throw new CertificateFileException(
                $"{what} does not open: it is neither a whole PFX file nor a PEM file with a certificate ({e.Message}).",
                e
            );
        }
        var withKeys = all.Where(one => one.HasPrivateKey).ToArray();
        if (withKeys.Length == 1)
            return LoadedCertificate.Of(withKeys[0], all.Where(one => !one.HasPrivateKey));
        var problem = all.Count switch
        {
            0 => $"{what} holds no certificate.",
            _ when withKeys.Length == 0 =>
                $"{what} holds {(all.Count == 1 ? "a certificate" : "certificates")} and no private key; export it with its key.",
            _ => $"{what} holds {withKeys.Length} certificates with keys; leave only the server's own in it.",
        };
        Dispose(all);
        throw new CertificateFileException(problem);
    }

    /// <summary>Refuses a certificate that is not valid at that moment.</summary>
    public static void RequireValid(X509Certificate2 certificate, string what, DateTimeOffset now)
    {
        if (certificate.NotAfter.ToUniversalTime() <= now.UtcDateTime)
            throw new CertificateFileException($"{what} expired on {Moment(certificate.NotAfter)}. Put a renewed one in its place.");
        if (certificate.NotBefore.ToUniversalTime() > now.UtcDateTime)
            throw new CertificateFileException(
                $"{what} is not valid before {Moment(certificate.NotBefore)}. "
                    + $"Check the clock of this machine (it says {Moment(now.UtcDateTime)})."
            );
    }

    public static string Moment(DateTime time) =>
        time.ToUniversalTime().ToString("yyyy-MM-dd HH:mm:ss 'UTC'", CultureInfo.InvariantCulture);

    private static LoadedCertificate OpenPem(CertificateFiles files, CertificateContents contents, string what)
    {
        var all = new X509Certificate2Collection();
        try
        {
            all.ImportFromPem(Encoding.UTF8.GetString(contents.Certificate));
        }
        catch (CryptographicException e)
        {
            Dispose(all);
            throw new CertificateFileException($"{what} holds a certificate that does not open: {e.Message}", e);
        }
        try
        {
            if (all.Count == 0)
                throw new CertificateFileException($"{what} holds no certificate: there is no 'BEGIN CERTIFICATE' with its end in it.");
            if (all.Count > TlsLimits.MaxCertificates)
                throw new CertificateFileException(
                    $"{what} holds {all.Count} certificates; the limit is {TlsLimits.MaxCertificates} (TlsLimits.MaxCertificates)."
                );
            var whose = files.KeyPath is { } keyPath ? $"The file '{keyPath}' ({files.Names.KeyPath})" : what;
            using var key = PemKey.Open(Encoding.UTF8.GetString(contents.Key ?? contents.Certificate), files.Password, whose, files.Names);
            var own =
                all.FirstOrDefault(key.BelongsTo)
                ?? throw new CertificateFileException(
                    $"The key in '{files.SecretPath}' belongs to no certificate in '{files.Path}'. Both files must be of one certificate."
                );
            return LoadedCertificate.Of(key.CopyTo(own), all.Where(one => one != own));
        }
        catch
        {
            Dispose(all);
            throw;
        }
    }

    /// <summary>ERROR_INVALID_PASSWORD, which .NET gives on every system.</summary>
    private static bool IsWrongPassword(CryptographicException e) => (e.HResult & 0xFFFF) == 86;

    private static void Dispose(X509Certificate2Collection all)
    {
        foreach (var one in all)
            one.Dispose();
    }
}
