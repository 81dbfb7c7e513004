using Akka.Configuration;

namespace Akka.Persistence.Jackdaw;

/// <summary>The configuration that comes with the plug-in.</summary>
public static class JackdawPersistence
{
    /// <summary>The defaults of the journal, the snapshot store and the read journal.</summary>
    public static Config DefaultConfiguration() =>
        ConfigurationFactory.FromResource("Akka.Persistence.Jackdaw.reference.conf", typeof(JackdawPersistence).Assembly);

    /// <summary>A journal's section, with the defaults behind it.</summary>
    internal static Config Journal(Config section) => WithDefaults(section, "akka.persistence.journal.jackdaw");

    /// <summary>A snapshot store's section, with the defaults behind it.</summary>
    internal static Config SnapshotStore(Config section) => WithDefaults(section, "akka.persistence.snapshot-store.jackdaw");

    private static Config WithDefaults(Config section, string path) => section.WithFallback(DefaultConfiguration().GetConfig(path));
}
