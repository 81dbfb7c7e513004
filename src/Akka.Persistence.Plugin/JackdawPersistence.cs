using Akka.Configuration;

namespace Akka.Persistence.Jackdaw;

/// <summary>The configuration that comes with the plug-in.</summary>
public static class JackdawPersistence
{
    /// <summary>The defaults of the journal, the snapshot store and the read journal.</summary>
    public static Config DefaultConfiguration() =>
        ConfigurationFactory.FromResource("Akka.Persistence.Jackdaw.reference.conf", typeof(JackdawPersistence).Assembly);
}
