namespace Jackdaw.Server.Configuration;

/// <summary>Where a server may listen, and how: plain http for this machine alone, https everywhere.</summary>
internal static class ServingAddresses
{
    /// <exception cref="ConfigurationException">An address would be served in a way that lets in whoever reaches it, or cannot be
    /// served.</exception>
    public static void Require(ServerConfiguration configuration)
    {
        var urls = configuration.ServerUrls;
        var certificate = configuration.CertificatePath;
        foreach (var url in urls)
        {
            if (IsSecured(url) && certificate is null)
                throw new ConfigurationException(
                    $"The address '{Shown(url)}' ({KnownSettings.ServerUrl}) is https and needs a certificate: "
                        + $"name a PFX or PEM file in {KnownSettings.CertificatePath}."
                );
            if (!IsSecured(url) && certificate is not null)
                throw new ConfigurationException(
                    $"{KnownSettings.CertificatePath} is given, so {KnownSettings.ServerUrl} must be https, not '{Shown(url)}'."
                );
            if (!IsSecured(url) && !url.IsLoopback)
                throw new ConfigurationException(
                    $"The address '{Shown(url)}' ({KnownSettings.ServerUrl}) is plain http, and whoever reaches it could read and change "
                        + "everything. Beyond this machine the server speaks https only: "
                        + $"say https://{url.Host}:{url.Port} and name a PFX or PEM file in {KnownSettings.CertificatePath}, "
                        + $"or listen on http://127.0.0.1:{url.Port}. docs/security.md shows how to make a certificate."
                );
        }
        if (
            urls.Where(url => url.Port != 0)
                .GroupBy(url => url.Authority, StringComparer.OrdinalIgnoreCase)
                .FirstOrDefault(same => same.Count() > 1) is
            { } twice
        )
            throw new ConfigurationException($"{KnownSettings.ServerUrl} names '{twice.Key}' twice.");
        if (certificate is null && configuration.CertificateKeyPath is not null)
            throw new ConfigurationException($"{KnownSettings.CertificateKeyPath} needs {KnownSettings.CertificatePath}.");
        if (configuration.PublicServerUrl is { } told && IsSecured(told) != IsSecured(urls[0]) && IsSecured(urls[0]))
            throw new ConfigurationException(
                $"{KnownSettings.PublicServerUrl} tells clients '{Shown(told)}', and the server speaks https only: say https."
            );
    }

    private static bool IsSecured(Uri url) => url.Scheme == Uri.UriSchemeHttps;

    private static string Shown(Uri url) => url.GetLeftPart(UriPartial.Authority);
}
