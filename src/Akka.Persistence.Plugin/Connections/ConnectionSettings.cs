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
    string ServerPin,
    string ServerAuthorityPath,
    bool AutoInitialize,
    TimeSpan RepeatFor,
    TimeSpan AttemptTimeout,
    AppendSettings Appends,
    long MaxSnapshotBytes,
    int MaxSnapshotUploads
)
{
    /// <summary>Reads a section.</summary>
    /// <param name="section">The section, with the defaults of the plug-in behind it.</param>
    /// <param name="path">Where the section is, for errors.</param>
    /// <exception cref="ConfigurationException">A setting is missing or makes no sense.</exception>
    public static ConnectionSettings Read(Config section, string path)
    {
        var settings = Parse(section, path);
        Address(settings.Url, $"{path}.url");
        if (settings.Database.Length == 0)
            throw new ConfigurationException($"{path}.database is missing: name the database that holds the events.");
        return settings;
    }

    private static ConnectionSettings Parse(Config section, string path)
    {
        try
        {
            return new ConnectionSettings(
                section.GetString("url", ""),
                section.GetString("database", ""),
                section.GetString("certificate-path", ""),
                section.GetString("certificate-password", ""),
                section.GetString("server-pin", ""),
                section.GetString("server-authority-path", ""),
                section.GetBoolean("auto-initialize", false),
                section.GetTimeSpan("repeat-for"),
                section.GetTimeSpan("attempt-timeout"),
                AppendSettings.Read(section),
                section.GetByteSize("max-snapshot-size", null) ?? 256L << 20,
                section.GetInt("max-snapshot-uploads", 16)
            );
        }
        catch (Exception e) when (e is FormatException or OverflowException or ArgumentException)
        {
            throw new ConfigurationException($"A setting of {path} cannot be read: {e.Message}", e);
        }
    }

    /// <summary>Reads a server's address.</summary>
    /// <exception cref="ConfigurationException">It is none.</exception>
    public static Uri Address(string text, string setting) =>
        Uri.TryCreate(text, UriKind.Absolute, out var url) && url.Scheme is ("http" or "https")
            ? url
            : throw new ConfigurationException($"{setting} is '{text}': it must be an address such as http://localhost:8080.");

    /// <summary>Makes the client, with the certificates that the settings name.</summary>
    /// <param name="path">Where the section is, for errors.</param>
    /// <exception cref="ConfigurationException">A certificate cannot be used, or a setting is out of its range.</exception>
    public EventStreamsClient NewClient(string path)
    {
        var options = Options(
            Certificates.Load(CertificatePath, CertificatePassword, $"{path}.certificate-path"),
            Certificates.LoadAuthorities(ServerAuthorityPath, $"{path}.server-authority-path")
        );
        try
        {
            return new EventStreamsClient(options);
        }
        catch (ArgumentException e)
        {
            options.Certificate?.Dispose();
            throw new ConfigurationException($"{path}: {e.Message}", e);
        }
    }

    private EventStreamsClientOptions Options(X509Certificate2? certificate, X509Certificate2Collection? authorities) =>
        new()
        {
            Url = new Uri(Url),
            Database = Database,
            CreatesDatabase = AutoInitialize,
            RepeatFor = RepeatFor,
            RepeatSnapshotsFor = RepeatFor,
            MaxAppendRequests = Appends.MaxRequests,
            MaxJoinedEvents = Appends.MaxJoinedEvents,
            MaxJoinedBytes = (int)Math.Min(int.MaxValue, Appends.MaxJoinedBytes),
            MaxQueuedEvents = Appends.MaxQueuedEvents,
            MaxQueuedBytes = Appends.MaxQueuedBytes,
            MaxEventBytes = (int)Math.Min(int.MaxValue, Appends.MaxEventBytes),
            MaxAppendBytes = Appends.MaxAppendBytes,
            MaxSnapshotBytes = MaxSnapshotBytes,
            MaxSnapshotUploads = MaxSnapshotUploads,
            AttemptTimeout = AttemptTimeout,
            Certificate = certificate,
            ServerPin = ServerPin.Length > 0 ? ServerPin : null,
            ServerAuthorities = authorities,
        };
}
