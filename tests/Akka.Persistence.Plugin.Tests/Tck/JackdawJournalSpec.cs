using Akka.Persistence.TCK.Journal;
using Xunit.Abstractions;

namespace Jackdaw.Actors.Tests.Tck;

[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class JackdawJournalSpec : JournalSpec
{
    public JackdawJournalSpec(SharedServer server, ITestOutputHelper output)
        : base(server.NewConfiguration(), nameof(JackdawJournalSpec), output) => Initialize();

    protected override bool SupportsAtomicPersistAllOfSeveralEvents => true;

    protected override bool SupportsRejectingNonSerializableObjects => true;

    protected override bool SupportsSerialization => true;
}
