using Akka.Actor;
using Akka.Persistence.TCK.Snapshot;
using Xunit.Abstractions;

namespace Jackdaw.Actors.Tests.Tck;

/// <remarks>
/// The kit's tests can use an actor's name again before it is free ("Actor name "persistence-actor-1" is not unique"), whatever the
/// store. Only then a test is run again, with an actor system and a database of its own.
/// </remarks>
[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class JackdawSnapshotStoreSaveSnapshotSpec(SharedServer server, ITestOutputHelper output)
    : SnapshotStoreSaveSnapshotSpec(server.NewConfiguration(), nameof(JackdawSnapshotStoreSaveSnapshotSpec), output)
{
    private const int MaxRuns = 10;

    protected override bool SupportsSerialization => true;

    protected override bool SupportsConcurrentSaves => true;

    public override Task MultipleSnapshotsWithNoPersistTest() => RunAsync(spec => spec.WithoutPersistAsync());

    public override Task MultipleSnapshotsWithPersistTest() => RunAsync(spec => spec.WithPersistAsync());

    public override Task MultipleSnapshotsWithSameSeqNo() => RunAsync(spec => spec.WithSameNumberAsync());

    private Task WithoutPersistAsync() => base.MultipleSnapshotsWithNoPersistTest();

    private Task WithPersistAsync() => base.MultipleSnapshotsWithPersistTest();

    private Task WithSameNumberAsync() => base.MultipleSnapshotsWithSameSeqNo();

    private async Task RunAsync(Func<JackdawSnapshotStoreSaveSnapshotSpec, Task> test)
    {
        var spec = this;
        for (var run = 1; ; run++)
        {
            try
            {
                await test(spec);
                return;
            }
            catch (InvalidActorNameException) when (run < MaxRuns)
            {
                Output.WriteLine("The name of an actor was not free yet: once more.");
            }
            finally
            {
                if (spec != this)
                    spec.Shutdown();
            }
            spec = new JackdawSnapshotStoreSaveSnapshotSpec(server, Output);
        }
    }
}
