using Akka.Persistence.TCK.Serialization;
using Xunit.Abstractions;

namespace Jackdaw.Actors.Tests.Tck;

[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class JackdawJournalSerializationSpec : JournalSerializationSpec
{
    public JackdawJournalSerializationSpec(SharedServer server, ITestOutputHelper output)
        : base(server.NewConfiguration(), nameof(JackdawJournalSerializationSpec), output) { }

    protected override bool SupportsSerialization => true;
}
