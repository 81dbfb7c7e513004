using System.Text;
using Akka.Hosting;

namespace Akka.Persistence.Jackdaw.Hosting;

/// <summary>Where a plug-in's server is. What is null stays as the configuration says.</summary>
public sealed record JackdawConnection
{
    /// <summary>The server's address, for example <c>http://localhost:8080</c>.</summary>
    public string? Url { get; set; }

    /// <summary>The database that holds events and snapshots.</summary>
    public string? Database { get; set; }

    /// <summary>The file of a client certificate (PFX).</summary>
    public string? CertificatePath { get; set; }

    /// <summary>The password of that file.</summary>
    public string? CertificatePassword { get; set; }

    /// <summary>
    /// The server that is trusted over https, whatever this machine trusts: <c>pin:</c> and the base64 of the SHA-256 of its public key,
    /// or the thumbprint of its certificate. Without <see cref="ServerAuthorityPath"/>.
    /// </summary>
    public string? ServerPin { get; set; }

    /// <summary>A PEM file with the root authorities that are trusted to sign the server's certificate.</summary>
    public string? ServerAuthorityPath { get; set; }

    internal void Append(StringBuilder sb)
    {
        Append(sb, "url", Url);
        Append(sb, "database", Database);
        Append(sb, "certificate-path", CertificatePath);
        Append(sb, "certificate-password", CertificatePassword);
        Append(sb, "server-pin", ServerPin);
        Append(sb, "server-authority-path", ServerAuthorityPath);
    }

    private static void Append(StringBuilder sb, string key, string? value)
    {
        if (value is not null)
            sb.AppendLine($"{key} = {value.ToHocon()}");
    }
}
