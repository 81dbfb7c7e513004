using Akka.Configuration;
using Akka.Persistence.Jackdaw;
#if WITH_SQLITE
using Akka.Persistence.Sqlite;
#endif

namespace Jackdaw.Bench.Actors;

/// <summary>The configuration of an actor system for each journal.</summary>
internal static class Journals
{
    /// <exception cref="NotSupportedException">The journal's package is not there.</exception>
    /// <param name="args">The journal, its folder, and for Jackdaw the server's address and the database.</param>
    public static Config Configuration(string[] args)
    {
        Config common = ConfigurationFactory.ParseString(
            """
            akka.loglevel = WARNING
            akka.persistence.snapshot-store.plugin = "akka.persistence.snapshot-store.inmem"
            """
        );
        Config journal = args[0] switch
        {
            "jackdaw" => Jackdaw(args[2], args[3]),
            "memory" => Memory(),
            "sqlite" => Sqlite("SqliteJournal", args[1]),
            "batching-sqlite" => Sqlite("BatchingSqliteJournal", args[1]),
            _ => throw new ArgumentException($"there is no journal '{args[0]}'"),
        };
        return common.WithFallback(journal);
    }

    private static Config Jackdaw(string url, string database) =>
        ConfigurationFactory
            .ParseString(
                $$"""
                akka.persistence.journal.plugin = "akka.persistence.journal.jackdaw"
                akka.persistence.journal.jackdaw.url = "{{url}}"
                akka.persistence.journal.jackdaw.database = "{{database}}"
                """
            )
            .WithFallback(JackdawPersistence.DefaultConfiguration());

    private static Config Memory() =>
        ConfigurationFactory.ParseString(
            $$"""
            akka.persistence.journal.plugin = "akka.persistence.journal.serializing"
            akka.persistence.journal.serializing {
              class = "{{typeof(SerializingMemoryJournal).AssemblyQualifiedName}}"
              plugin-dispatcher = "akka.actor.default-dispatcher"
            }
            """
        );

#if WITH_SQLITE
    private static Config Sqlite(string journal, string folder) =>
        ConfigurationFactory
            .ParseString(
                $$"""
                akka.persistence.journal.plugin = "akka.persistence.journal.sqlite"
                akka.persistence.journal.sqlite {
                  class = "Akka.Persistence.Sqlite.Journal.{{journal}}, Akka.Persistence.Sqlite"
                  auto-initialize = on
                  connection-string = "Data Source={{folder}}/journal.db"
                }
                """
            )
            .WithFallback(SqlitePersistence.DefaultConfiguration());
#else
    private static Config Sqlite(string journal, string folder) =>
        throw new NotSupportedException($"the package of {journal} (Akka.Persistence.Sqlite) cannot be restored here");
#endif
}
