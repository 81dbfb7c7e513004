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
    TimeSpan AttemptTimeout,
    AppendSettings Appends,
    long MaxSnapshotBytes
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
            section.GetTimeSpan("attempt-timeout", TimeSpan.FromSeconds(3)),
            AppendSettings.Read(section),
            section.GetByteSize("max-snapshot-size", null) ?? 256L << 20
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
            RepeatSnapshotsFor = RepeatFor,
            MaxAppendRequests = Appends.MaxRequests,
            MaxJoinedEvents = Appends.MaxJoinedEvents,
            MaxJoinedBytes = (int)Math.Min(int.MaxValue, Appends.MaxJoinedBytes),
            MaxQueuedEvents = Appends.MaxQueuedEvents,
            MaxQueuedBytes = Appends.MaxQueuedBytes,
            MaxEventBytes = (int)Math.Min(int.MaxValue, Appends.MaxEventBytes),
            MaxAppendBytes = Appends.MaxAppendBytes,
            MaxSnapshotBytes = MaxSnapshotBytes,
            AttemptTimeout = AttemptTimeout,
            Certificate = Certificates.Load(CertificatePath, CertificatePassword),
        };
}
