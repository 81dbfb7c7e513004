using Akka.Persistence.TCK.Snapshot;
using Xunit.Abstractions;

namespace Jackdaw.Actors.Tests.Tck;

[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class JackdawSnapshotStoreSaveSnapshotSpec : SnapshotStoreSaveSnapshotSpec
{
    public JackdawSnapshotStoreSaveSnapshotSpec(SharedServer server, ITestOutputHelper output)
        : base(server.NewConfiguration(), nameof(JackdawSnapshotStoreSaveSnapshotSpec), output) { }

    protected override bool SupportsSerialization => true;

    protected override bool SupportsConcurrentSaves => true;
}
