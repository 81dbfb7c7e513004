using Akka.Persistence.TCK.Snapshot;
using Xunit.Abstractions;

namespace Jackdaw.Actors.Tests.Tck;

/// <remarks>
/// On several threads the kit's test can use an actor's name again before it is free ("Actor name \"persistence-actor-1\" is not unique"),
/// whatever the store: so the actors here share one thread.
/// </remarks>
[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class JackdawSnapshotStoreSaveSnapshotSpec : SnapshotStoreSaveSnapshotSpec
{
    private const string OneThread = """
        akka.actor.default-dispatcher.type = ForkJoinDispatcher
        akka.actor.default-dispatcher.dedicated-thread-pool.thread-count = 1
        akka.actor.internal-dispatcher = akka.actor.default-dispatcher
        """;

    public JackdawSnapshotStoreSaveSnapshotSpec(SharedServer server, ITestOutputHelper output)
        : base(server.NewConfiguration(OneThread), nameof(JackdawSnapshotStoreSaveSnapshotSpec), output) { }

    protected override bool SupportsSerialization => true;

    protected override bool SupportsConcurrentSaves => true;
}
