using Akka.Persistence.Jackdaw.Query;
using Akka.Persistence.Query;
using Akka.Persistence.TCK.Query;
using Xunit.Abstractions;

namespace Jackdaw.Actors.Tests.Tck;

[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class JackdawPersistenceIdsSpec : PersistenceIdsSpec
{
    public JackdawPersistenceIdsSpec(SharedServer server, ITestOutputHelper output)
        : base(server.NewConfiguration(), nameof(JackdawPersistenceIdsSpec), output) =>
        ReadJournal = Sys.ReadJournalFor<JackdawReadJournal>(JackdawReadJournal.Identifier);
}
