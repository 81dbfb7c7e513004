using Akka.Persistence.TCK.Snapshot;
using Xunit.Abstractions;

namespace Jackdaw.Actors.Tests.Tck;

[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class JackdawSnapshotStoreSpec : SnapshotStoreSpec
{
    public JackdawSnapshotStoreSpec(SharedServer server, ITestOutputHelper output)
        : base(server.NewConfiguration(), nameof(JackdawSnapshotStoreSpec), output) => Initialize();

    protected override bool SupportsSerialization => true;
}
