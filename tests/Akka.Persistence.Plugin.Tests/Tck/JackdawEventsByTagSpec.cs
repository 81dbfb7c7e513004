using Akka.Persistence.Jackdaw.Query;
using Akka.Persistence.Query;
using Akka.Persistence.TCK.Query;
using Xunit.Abstractions;

namespace Jackdaw.Actors.Tests.Tck;

[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class JackdawEventsByTagSpec : EventsByTagSpec
{
    public JackdawEventsByTagSpec(SharedServer server, ITestOutputHelper output)
        : base(server.NewConfiguration(PluginConfig.ColorFruitTagger), nameof(JackdawEventsByTagSpec), output) =>
        ReadJournal = Sys.ReadJournalFor<JackdawReadJournal>(JackdawReadJournal.Identifier);

    protected override bool SupportsTagsInEventEnvelope => true;
}
