using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Etl.Configuration;
using RabbitMQ.Client;

namespace Jackdaw.Etl.RabbitMq;

/// <summary>Whom a secure connection trusts, and what it shows.</summary>
internal static class RabbitMqTls
{
    /// <summary>Throws <see cref="InvalidConfigurationException"/> when a file of the settings cannot be used (any more).</summary>
    public static SslOption Option(RabbitMqSettings settings, RabbitMqAddress address)
    {
        var authorities = settings.Authorities();
        var option = new SslOption(address.Host, enabled: true)
        {
            Version = SslProtocols.None,
            AcceptablePolicyErrors = SslPolicyErrors.None,
            CertificateValidationCallback = authorities is null ? null : (_, certificate, chain, errors) => IsSignedBy(authorities, certificate, chain, errors),
        };
        if (settings.ClientCertificate() is { } shown)
        {
            option.Certs = [shown];
            // Whomever the broker says that it trusts: its refusal tells more than a connection without a certificate.
            option.CertificateSelectionCallback = (_, _, _, _, _) => shown;
        }
        return option;
    }

    /// <summary>The name must fit and the chain end in one of the authorities; whom else the system trusts does not matter.</summary>
    private static bool IsSignedBy(X509Certificate2Collection authorities, X509Certificate? certificate, X509Chain? sent, SslPolicyErrors errors)
    {
        if (certificate is not X509Certificate2 end || (errors & ~SslPolicyErrors.RemoteCertificateChainErrors) != SslPolicyErrors.None)
            return false;
        using var chain = new X509Chain();
        chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
        chain.ChainPolicy.CustomTrustStore.AddRange(authorities);
        chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
        if (sent is not null)
            chain.ChainPolicy.ExtraStore.AddRange(sent.ChainPolicy.ExtraStore);
        return chain.Build(end);
    }
}
