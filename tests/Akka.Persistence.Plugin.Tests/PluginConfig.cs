using Akka.Configuration;
using Akka.Persistence.Jackdaw;

namespace Jackdaw.Actors.Tests;

/// <summary>The configuration of an actor system whose journal, snapshot store and queries are in one database of a server.</summary>
internal static class PluginConfig
{
    /// <summary>The test kit's adapter, which tags texts by the colours and fruits in them.</summary>
    public const string ColorFruitTagger = """
        akka.persistence.journal.jackdaw.event-adapters {
          color-tagger = "Akka.Persistence.TCK.Query.ColorFruitTagger, Akka.Persistence.TCK"
        }
        akka.persistence.journal.jackdaw.event-adapter-bindings {
          "System.String" = color-tagger
        }
        """;

    /// <param name="url">Of the server, or of a proxy before it.</param>
    /// <param name="database">Created when it does not exist.</param>
    /// <param name="more">HOCON that replaces what is said here.</param>
    public static Config For(string url, string database, string more = "") =>
        ConfigurationFactory
            .ParseString(
                $$"""
                akka.loglevel = WARNING
                akka.test.single-expect-default = 30s
                akka.persistence.journal.plugin = "akka.persistence.journal.jackdaw"
                akka.persistence.journal.jackdaw.url = "{{url}}"
                akka.persistence.journal.jackdaw.database = "{{database}}"
                akka.persistence.journal.jackdaw.auto-initialize = on
                akka.persistence.snapshot-store.plugin = "akka.persistence.snapshot-store.jackdaw"
                akka.persistence.snapshot-store.jackdaw.url = "{{url}}"
                akka.persistence.snapshot-store.jackdaw.database = "{{database}}"
                akka.persistence.snapshot-store.jackdaw.auto-initialize = on
                {{more}}
                """
            )
            .WithFallback(JackdawPersistence.DefaultConfiguration());
}
