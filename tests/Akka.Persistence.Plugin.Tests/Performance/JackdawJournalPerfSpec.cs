using Akka.Persistence.TestKit.Performance;
using Xunit.Abstractions;

namespace Jackdaw.Actors.Tests.Performance;

[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class JackdawJournalPerfSpec : JournalPerfSpec
{
    public JackdawJournalPerfSpec(SharedServer server, ITestOutputHelper output)
        : base(server.NewConfiguration(), nameof(JackdawJournalPerfSpec), output) => ExpectDuration = Eventually.Patience;
}
