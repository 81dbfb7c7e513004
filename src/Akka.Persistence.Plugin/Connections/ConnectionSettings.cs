using System.Security.Cryptography.X509Certificates;
using Akka.Configuration;
using Jackdaw.EventStreams.Client;

namespace Akka.Persistence.Jackdaw.Connections;

/// <summary>Where a plug-in's server is, as its section of the configuration says. Equal settings share one client.</summary>
internal sealed record ConnectionSettings(
    string Url,
    string Database,
    string CertificatePath,
    string CertificatePassword,
    bool AutoInitialize,
    TimeSpan RepeatFor,
    TimeSpan AttemptTimeout
)
{
    /// <summary>Reads a section.</summary>
    /// <exception cref="ConfigurationException">A setting is missing or makes no sense.</exception>
    public static ConnectionSettings Read(Config section, string path)
    {
        var settings = new ConnectionSettings(
            section.GetString("url", ""),
            section.GetString("database", ""),
            section.GetString("certificate-path", ""),
            section.GetString("certificate-password", ""),
            section.GetBoolean("auto-initialize", false),
            section.GetTimeSpan("repeat-for", TimeSpan.FromSeconds(8)),
            section.GetTimeSpan("attempt-timeout", TimeSpan.FromSeconds(3))
        );
        if (!Uri.TryCreate(settings.Url, UriKind.Absolute, out var url) || url.Scheme is not ("http" or "https"))
            throw new ConfigurationException($"{path}.url is '{settings.Url}': it must be an address such as http://localhost:8080.");
        if (settings.Database.Length == 0)
            throw new ConfigurationException($"{path}.database is missing: name the database that holds the events.");
        return settings;
    }

    /// <summary>Opens the certificate and gives what a client is made with.</summary>
    public EventStreamsClientOptions Options() =>
        new()
        {
            Url = new Uri(Url),
            Database = Database,
            CreatesDatabase = AutoInitialize,
            RepeatFor = RepeatFor,
            AttemptTimeout = AttemptTimeout,
            Certificate =
                CertificatePath.Length == 0
                    ? null
                    : X509CertificateLoader.LoadPkcs12FromFile(
                        CertificatePath,
                        CertificatePassword.Length == 0 ? null : CertificatePassword
                    ),
        };
}
