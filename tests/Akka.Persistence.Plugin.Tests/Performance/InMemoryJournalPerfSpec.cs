using Akka.Configuration;
using Akka.Persistence.TestKit.Performance;
using Xunit.Abstractions;

namespace Jackdaw.Actors.Tests.Performance;

/// <summary>Not a test of Jackdaw: what its figures are compared with.</summary>
[Collection(SharedServerCollection.Name)]
[Trait("Category", "Long")]
public sealed class InMemoryJournalPerfSpec : JournalPerfSpec
{
    public InMemoryJournalPerfSpec(ITestOutputHelper output)
        : base(
            ConfigurationFactory.ParseString("""akka.persistence.journal.plugin = "akka.persistence.journal.inmem" """),
            nameof(InMemoryJournalPerfSpec),
            output
        ) => ExpectDuration = Eventually.Patience;
}
