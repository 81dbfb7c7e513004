using Akka.Configuration;
using Akka.Persistence.Sqlite;
using Akka.Persistence.TestKit.Performance;
using Xunit.Abstractions;

namespace Jackdaw.Actors.Tests.Performance;

/// <summary>Not a test of Jackdaw: what its figures are compared with. A file, not a database in memory.</summary>
[Collection(SharedServerCollection.Name)]
[Trait("Category", "Long")]
public sealed class BatchingSqliteJournalPerfSpec : JournalPerfSpec
{
    public BatchingSqliteJournalPerfSpec(ITestOutputHelper output)
        : this(Directory.CreateTempSubdirectory("jackdaw-sqlite-").FullName, output) { }

    private BatchingSqliteJournalPerfSpec(string folder, ITestOutputHelper output)
        : base(Configuration(folder), nameof(BatchingSqliteJournalPerfSpec), output)
    {
        ExpectDuration = Eventually.Patience;
        Sys.RegisterOnTermination(() => Directory.Delete(folder, recursive: true));
    }

    private static Config Configuration(string folder) =>
        ConfigurationFactory
            .ParseString(
                $$"""
                akka.persistence.journal.plugin = "akka.persistence.journal.sqlite"
                akka.persistence.journal.sqlite {
                  class = "Akka.Persistence.Sqlite.Journal.BatchingSqliteJournal, Akka.Persistence.Sqlite"
                  auto-initialize = on
                  connection-string = "Data Source={{folder}}/journal.db"
                }
                """
            )
            .WithFallback(SqlitePersistence.DefaultConfiguration());
}
