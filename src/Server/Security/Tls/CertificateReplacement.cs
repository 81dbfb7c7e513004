using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Storage.Disk;

namespace Jackdaw.Server.Security.Tls;

/// <summary>Writes another certificate in the place of the server's PFX file, in one step: after a crash the file is the old one or the new
/// one.</summary>
internal static class CertificateReplacement
{
    /// <summary>Replaces the file.</summary>
    /// <param name="files">The server's.</param>
    /// <param name="certificate">The new certificate; its key can be exported.</param>
    /// <exception cref="CertificateFileException">The file is no PFX file, is reached through a link, or cannot be written.</exception>
    public static void Write(CertificateFiles files, LoadedCertificate certificate)
    {
        RequireReplaceable(files);
        var bytes = Export(certificate, files.Password);
        var next = $"{files.Path}.{Guid.NewGuid():N}.tmp";
        try
        {
            Store(next, bytes);
            File.Move(next, files.Path, overwrite: true);
            using var disk = new LinuxDisk(Path.GetDirectoryName(files.Path)!);
            disk.SyncDirectory("");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            TryDelete(next);
            throw new CertificateFileException(
                $"The file '{files.Path}' ({files.Names.Path}) cannot be replaced by the server: {e.Message} "
                    + "Replace it where it comes from, e.g. in the secret that is mounted there; the server takes it without a restart.",
                e
            );
        }
        finally
        {
            CryptographicOperations.ZeroMemory(bytes);
        }
    }

    private static void RequireReplaceable(CertificateFiles files)
    {
        var instead = "The server takes it within 30 seconds, without a restart.";
        if (CertificateOpening.IsPem(files.Read().Certificate))
            throw new CertificateFileException(
                $"The server's certificate is a PEM file, '{files.Path}', and by this request only a PFX file is replaced. "
                    + $"Put the new certificate and its key in the place of the files. {instead}"
            );
        // A link is how orchestrators mount secrets: replacing the link would cut the file off from its secret.
        if (File.ResolveLinkTarget(files.Path, returnFinalTarget: false) is not null)
            throw new CertificateFileException(
                $"The server's certificate '{files.Path}' is a symbolic link, as orchestrators mount secrets. "
                    + $"Replace the secret or file that it comes from. {instead}"
            );
    }

    /// <summary>With the password of the settings, or the server would not open it at its next start.</summary>
    private static byte[] Export(LoadedCertificate certificate, string? password)
    {
        var all = new X509Certificate2Collection { certificate.Certificate };
        all.AddRange(certificate.Authorities);
        return all.ExportPkcs12(Pkcs12ExportPbeParameters.Pbes2Aes256Sha256, password ?? "");
    }

    private static void Store(string path, byte[] bytes)
    {
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        if (!OperatingSystem.IsWindows())
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        using var file = new FileStream(path, options);
        file.Write(bytes);
        file.Flush(flushToDisk: true);
    }

    private static void TryDelete(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The folder takes no changes: then there is no such file either, or its owner finds it by its name.
        }
    }
}
