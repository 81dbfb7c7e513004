using Akka.Persistence.TCK.Serialization;
using Xunit.Abstractions;

namespace Jackdaw.Actors.Tests.Tck;

[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class JackdawSnapshotStoreSerializationSpec : SnapshotStoreSerializationSpec
{
    public JackdawSnapshotStoreSerializationSpec(SharedServer server, ITestOutputHelper output)
        : base(server.NewConfiguration(), nameof(JackdawSnapshotStoreSerializationSpec), output) { }

    protected override bool SupportsSerialization => true;
}
