using System.Text;
using Jackdaw.Server.Security.Certificates;

namespace Jackdaw.Server.Hosting.Certificates;

/// <summary>The files that a new certificate and its key are written to: a PFX and a PEM file, which nobody but their owner
/// may read.</summary>
internal sealed class KeyFiles
{
    private readonly List<string> _written = [];

    /// <param name="path">As the operator gave it, with or without an extension.</param>
    public KeyFiles(string path)
    {
        var full = Path.GetFullPath(path);
        var stem = Path.GetExtension(full).ToUpperInvariant() is ".PFX" or ".PEM" ? Path.ChangeExtension(full, null) : full;
        (Pfx, Pem) = ($"{stem}.pfx", $"{stem}.pem");
    }

    public string Pfx { get; }

    public string Pem { get; }

    /// <summary>Writes both, or none.</summary>
    /// <exception cref="RefusedException">One is there already, or cannot be written.</exception>
    public void Write(GeneratedCertificate certificate)
    {
        foreach (var path in (ReadOnlySpan<string>)[Pfx, Pem])
            if (File.Exists(path))
                throw new RefusedException($"{path} is there already, and may hold a key that is in use. Name other files with --out.");
        try
        {
            Write(Pfx, certificate.Pfx);
            Write(Pem, Encoding.ASCII.GetBytes(certificate.CertificatePem + certificate.KeyPem));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            Remove();
            throw new RefusedException($"The certificate's files cannot be written, so nothing was stored: {e.Message}", e);
        }
    }

    /// <summary>Removes what this has written.</summary>
    public void Remove()
    {
        foreach (var path in _written)
            File.Delete(path);
        _written.Clear();
    }

    private void Write(string path, byte[] content)
    {
        var options = new FileStreamOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.Write,
            Options = FileOptions.WriteThrough,
        };
        if (!OperatingSystem.IsWindows())
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        using var file = new FileStream(path, options);
        _written.Add(path);
        file.Write(content);
        file.Flush(flushToDisk: true);
    }
}
