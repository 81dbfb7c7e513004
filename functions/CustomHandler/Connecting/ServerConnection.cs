using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.EventStreams.Client.Trust;
using Jackdaw.Functions.CustomHandler.Configuration;

namespace Jackdaw.Functions.CustomHandler.Connecting;

/// <summary>Connections to the server: bounded, over TLS 1.2 or later with the app's certificate, to the server whose key the pin
/// names.</summary>
internal static class ServerConnection
{
    /// <summary>Makes a client of the server. Throws <see cref="SettingException"/> when the certificate or the pin is none.</summary>
    public static HttpClient Open(AppSettings settings)
    {
        var handler = new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            UseCookies = false,
            ConnectTimeout = AppLimits.ConnectTimeout,
            MaxConnectionsPerServer = AppLimits.MaxServerConnections,
            // A name that moves to another address is followed.
            PooledConnectionLifetime = TimeSpan.FromMinutes(5),
            SslOptions = new SslClientAuthenticationOptions { EnabledSslProtocols = SslProtocols.Tls12 | SslProtocols.Tls13 },
        };
        if (settings.ClientCertificate is { } pfx)
            handler.SslOptions.ClientCertificates = [Certificate(pfx)];
        if (settings.ServerPin is { } pin)
        {
            var expected = Pin(pin);
            handler.SslOptions.RemoteCertificateValidationCallback = (_, presented, _, _) =>
                presented is X509Certificate2 certificate && expected.Names(certificate);
        }
        // Each request has a time-out of its own.
        return new HttpClient(handler) { BaseAddress = Root(settings.ServerUrl), Timeout = Timeout.InfiniteTimeSpan };
    }

    /// <summary>Relative addresses are appended to what ends in a slash.</summary>
    private static Uri Root(Uri url) => url.AbsoluteUri.EndsWith('/') ? url : new Uri(url.AbsoluteUri + "/");

    private static X509Certificate2 Certificate(string pfx)
    {
        X509Certificate2 certificate;
        try
        {
            certificate = X509CertificateLoader.LoadPkcs12(Convert.FromBase64String(pfx), password: null);
        }
        catch (Exception e) when (e is FormatException or CryptographicException)
        {
            throw new SettingException(
                $"The setting 'Jackdaw__ClientCertificate' must be a PFX without a password, in Base64: {e.Message}",
                e
            );
        }
        return certificate.HasPrivateKey
            ? certificate
            : throw new SettingException("The PFX in the setting 'Jackdaw__ClientCertificate' has no private key.");
    }

    private static ServerPin Pin(string pin)
    {
        try
        {
            return ServerPin.Parse(pin);
        }
        catch (FormatException e)
        {
            throw new SettingException(
                $"The setting 'Jackdaw__ServerPin' names no server: {e.Message} './run certificates' prints the pin.",
                e
            );
        }
    }
}
