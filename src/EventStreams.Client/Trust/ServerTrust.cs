using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace Jackdaw.EventStreams.Client.Trust;

/// <summary>
/// Decides in each handshake whether the server is the one that is meant: by its pin, by the authorities that sign its certificate, or by
/// what this machine trusts. May be used from any thread.
/// </summary>
internal sealed class ServerTrust(ServerPin? pin, X509Certificate2Collection? authorities)
{
    private volatile string? _refusal;

    /// <summary>Why the server of the last handshake is not the one; null: it is, or there was none.</summary>
    public string? Refusal => _refusal;

    /// <summary>Has handshakes with these options ask this object.</summary>
    public void Apply(SslClientAuthenticationOptions options)
    {
        if (authorities is not null)
        {
            var policy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                RevocationMode = X509RevocationMode.NoCheck,
            };
            policy.CustomTrustStore.AddRange(authorities);
            options.CertificateChainPolicy = policy;
        }
        options.RemoteCertificateValidationCallback = (_, presented, _, errors) => IsMeant(presented, errors);
    }

    private bool IsMeant(X509Certificate? presented, SslPolicyErrors errors)
    {
        var refusal = Judge(presented as X509Certificate2, errors);
        _refusal = refusal;
        return refusal is null;
    }

    private string? Judge(X509Certificate2? certificate, SslPolicyErrors errors)
    {
        if (certificate is null)
            return "it presented no certificate.";
        var presented = $"it presented the certificate '{certificate.Subject}' (thumbprint {certificate.Thumbprint})";
        if (pin is not null)
            return pin.Names(certificate) ? null : $"{presented}, and the pin of this client names another one.";
        if (errors == SslPolicyErrors.None)
            return null;
        return authorities is null
            ? $"{presented}, which this machine does not trust ({errors}). If it is the right server, give this client its pin, "
                + $"{ServerPin.Of(certificate)}, or the certificate of its authority."
            : $"{presented}, which the authorities given to this client do not vouch for ({errors}).";
    }
}
