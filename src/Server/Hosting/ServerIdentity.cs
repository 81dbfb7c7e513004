using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.EventStreams.Client.Trust;
using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Hosting;

/// <summary>Whether a server is the one that is meant: by a pin, by the server's own certificate where its file can be read here, or by
/// what this machine trusts.</summary>
internal sealed class ServerIdentity
{
    private readonly ServerPin? _pin;
    private readonly X509Certificate2? _own;

    /// <param name="pin">As <see cref="ServerPin.Parse"/> reads it; null: none.</param>
    /// <param name="own">The server's certificate as the settings have it; null where it cannot be read here.</param>
    /// <exception cref="ConfigurationException">It is no pin.</exception>
    public ServerIdentity(string? pin, X509Certificate2? own)
    {
        try
        {
            _pin = pin is null ? null : ServerPin.Parse(pin);
        }
        catch (FormatException e)
        {
            throw new ConfigurationException($"--server-pin {e.Message}", e);
        }
        _own = own;
    }

    /// <summary>Why the last server that was met is not the one; null: it is, or none was met.</summary>
    public string? Refusal { get; private set; }

    /// <summary>For a handshake: whether the server may be talked to.</summary>
    public bool IsMeant(X509Certificate? presented, SslPolicyErrors errors)
    {
        Refusal = null;
        if (presented is not X509Certificate2 certificate)
            Refusal = "The server presented no certificate.";
        else if (_pin is not null)
            Refusal = _pin.Names(certificate) ? null : $"{Describe(certificate)}, and --server-pin names another one.";
        else if (errors != SslPolicyErrors.None && !IsOwn(certificate))
            Refusal =
                $"{Describe(certificate)}, which this machine does not trust ({errors}). If it is the right server, "
                + $"say --server-pin={ServerPin.Of(certificate)}.";
        return Refusal is null;
    }

    private static string Describe(X509Certificate2 certificate) =>
        $"The server presented the certificate '{certificate.Subject}' (thumbprint {certificate.Thumbprint})";

    private bool IsOwn(X509Certificate2 certificate) =>
        _own?.GetCertHashString(HashAlgorithmName.SHA256) == certificate.GetCertHashString(HashAlgorithmName.SHA256);
}
