using Akka.Persistence.Jackdaw.Query;
using Akka.Persistence.Query;
using Akka.Persistence.TCK.Query;
using Xunit.Abstractions;

namespace Jackdaw.Actors.Tests.Tck;

[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class JackdawCurrentAllEventsSpec : CurrentAllEventsSpec
{
    public JackdawCurrentAllEventsSpec(SharedServer server, ITestOutputHelper output)
        : base(server.NewConfiguration(), nameof(JackdawCurrentAllEventsSpec), output) =>
        ReadJournal = Sys.ReadJournalFor<JackdawReadJournal>(JackdawReadJournal.Identifier);
}
