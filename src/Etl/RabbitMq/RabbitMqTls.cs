using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Etl.Configuration;
using RabbitMQ.Client;

namespace Jackdaw.Etl.RabbitMq;

/// <summary>Whom a secure connection trusts, and what it shows: one of these a connection, and disposed of with it, for
/// certificates hold memory of the TLS library's.</summary>
internal sealed class RabbitMqTls : IDisposable
{
    private readonly X509Certificate2Collection? _authorities;
    private readonly X509Certificate2? _shown;

    /// <summary>Throws <see cref="InvalidConfigurationException"/> when a file of the settings cannot be used (any more).</summary>
    public RabbitMqTls(RabbitMqSettings settings)
    {
        _authorities = settings.Authorities();
        try
        {
            _shown = settings.ClientCertificate();
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Those that it holds.</summary>
    internal IEnumerable<X509Certificate2> Certificates =>
        [.. _authorities ?? [], .. _shown is null ? Array.Empty<X509Certificate2>() : [_shown]];

    /// <summary>Of a connection to this host.</summary>
    public SslOption Option(string host)
    {
        var option = new SslOption(host, enabled: true)
        {
            Version = SslProtocols.None,
            AcceptablePolicyErrors = SslPolicyErrors.None,
            CertificateValidationCallback = _authorities is null
                ? null
                : (_, certificate, chain, errors) => IsSignedBy(_authorities, certificate, chain, errors),
        };
        if (_shown is { } shown)
        {
            option.Certs = [shown];
            // Whomever the broker says that it trusts: its refusal tells more than a connection without a certificate.
            option.CertificateSelectionCallback = (_, _, _, _, _) => shown;
        }
        return option;
    }

    /// <summary>After the connection has ended.</summary>
    public void Dispose()
    {
        foreach (var certificate in Certificates)
            certificate.Dispose();
    }

    /// <summary>The name must fit and the chain end in one of the authorities; whom else the system trusts does not matter.</summary>
    private static bool IsSignedBy(
        X509Certificate2Collection authorities,
        X509Certificate? certificate,
        X509Chain? sent,
        SslPolicyErrors errors
    )
    {
        if (certificate is not X509Certificate2 end || (errors & ~SslPolicyErrors.RemoteCertificateChainErrors) != SslPolicyErrors.None)
            return false;
        using var chain = new X509Chain();
        chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
        chain.ChainPolicy.CustomTrustStore.AddRange(authorities);
        chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
        if (sent is not null)
            chain.ChainPolicy.ExtraStore.AddRange(sent.ChainPolicy.ExtraStore);
        bool isSigned = chain.Build(end);
        foreach (var element in chain.ChainElements)
            element.Certificate.Dispose();
        return isSigned;
    }
}
