using System.Security.Cryptography;
using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Security.Tls;

/// <summary>Where the server's certificate lies: one PFX file, one PEM file, or a PEM file and one with its key.</summary>
/// <param name="Path">The certificate, an absolute path.</param>
/// <param name="KeyPath">The key where it is a file of its own; null: in the same file.</param>
/// <param name="Password">Opens the PFX file or the encrypted key.</param>
internal sealed record CertificateFiles(string Path, string? KeyPath, string? Password)
{
    /// <summary>What errors call the three.</summary>
    public CertificateNames Names { get; init; } = CertificateNames.OfSettings;

    /// <summary>The file that holds the private key.</summary>
    public string SecretPath => KeyPath ?? Path;

    /// <summary>The settings' certificate; null when none is set.</summary>
    public static CertificateFiles? Of(ServerConfiguration configuration) =>
        configuration.CertificatePath is { } path
            ? new CertificateFiles(
                System.IO.Path.GetFullPath(path),
                configuration.CertificateKeyPath is { } key ? System.IO.Path.GetFullPath(key) : null,
                configuration.CertificatePassword
            )
            : null;

    /// <summary>Reads the files as they are now.</summary>
    /// <exception cref="CertificateFileException">A file is missing, too large, or may not be read.</exception>
    public CertificateContents Read()
    {
        var certificate = Read(Path, Names.Path);
        var key = KeyPath is null ? null : Read(KeyPath, Names.KeyPath);
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        hash.AppendData(BitConverter.GetBytes(certificate.Length));
        hash.AppendData(certificate);
        hash.AppendData(key ?? []);
        return new CertificateContents(certificate, key, Convert.ToHexString(hash.GetHashAndReset()));
    }

    /// <summary>A sentence that tells when others than the file's owner and group may read the key; null when nobody may.</summary>
    public string? Openness()
    {
        if (OperatingSystem.IsWindows())
            return null;
        try
        {
            // Also through symbolic links: the mode of a link says nothing.
            var target = File.ResolveLinkTarget(SecretPath, returnFinalTarget: true)?.FullName ?? SecretPath;
            var mode = File.GetUnixFileMode(target);
            return (mode & UnixFileMode.OtherRead) == 0
                ? null
                : $"Every user of this machine may read '{SecretPath}', which holds the server's private key. "
                    + $"Take that right away: chmod o-rwx '{target}'.";
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static byte[] Read(string path, string setting)
    {
        try
        {
            using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            if (file.Length > TlsLimits.MaxCertificateFileBytes)
                throw new CertificateFileException(
                    $"The file '{path}' ({setting}) has {file.Length:N0} bytes; the limit is "
                        + $"{TlsLimits.MaxCertificateFileBytes:N0} (TlsLimits.MaxCertificateFileBytes)."
                );
            var bytes = new byte[file.Length];
            file.ReadExactly(bytes);
            return bytes;
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            throw new CertificateFileException($"The file '{path}' ({setting}) does not exist.", e);
        }
        catch (UnauthorizedAccessException e)
        {
            var reason = Directory.Exists(path) ? "is a folder" : "may not be read by the user that runs the server";
            throw new CertificateFileException($"The file '{path}' ({setting}) {reason}.", e);
        }
        catch (IOException e)
        {
            throw new CertificateFileException($"The file '{path}' ({setting}) cannot be read: {e.Message}", e);
        }
    }
}
