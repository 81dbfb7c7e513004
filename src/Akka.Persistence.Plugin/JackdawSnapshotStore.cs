using System.Collections.Concurrent;
using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Jackdaw.Connections;
using Akka.Persistence.Jackdaw.Mapping;
using Akka.Persistence.Jackdaw.Snapshots;
using Akka.Persistence.Snapshot;
using Jackdaw.EventStreams.Client;
using Jackdaw.EventStreams.Client.Snapshots;

namespace Akka.Persistence.Jackdaw;

/// <summary>
/// The snapshot store. A snapshot replaces the one of the same id and sequence number; of several under way the last one wins.
/// </summary>
public sealed class JackdawSnapshotStore : SnapshotStore, IWithUnboundedStash
{
    private readonly SharedClient _shared;
    private readonly SnapshotMapping _mapping;
    private readonly SavesInOrder _saves = new();

    /// <summary>The times of saves that failed, for the deletion that follows: it must not take an older snapshot of that number.</summary>
    private readonly ConcurrentDictionary<(string Id, long Number), long> _failed = new();
    private SnapshotMetadata? _failedNow;

    /// <summary>Creates the store of a section of the configuration.</summary>
    /// <exception cref="ConfigurationException">A setting is missing or makes no sense.</exception>
    public JackdawSnapshotStore(Config config)
    {
        _shared = SharedClients.Of(Context.System).Get(config, Self.Path.Name);
        _mapping = new SnapshotMapping((ExtendedActorSystem)Context.System, config.GetString("serializer", null));
    }

    /// <inheritdoc />
    public IStash Stash { get; set; } = null!;

    private EventStreamsClient Client => _shared.Client;

    /// <inheritdoc />
    public override Task<PersistenceHealthCheckResult> CheckHealthAsync(CancellationToken cancellationToken = default) =>
        _shared.Ready.IsCompletedSuccessfully ? base.CheckHealthAsync(cancellationToken) : Task.FromResult(_shared.NotReady());

    /// <inheritdoc />
    protected override void PreStart()
    {
        base.PreStart();
        if (_shared.Ready.IsCompletedSuccessfully)
            return;
        _shared.Ready.PipeTo(Self, success: () => ServerReady.Instance);
        BecomeStacked(WaitForServer);
    }

    /// <inheritdoc />
    protected override bool ReceivePluginInternal(object message)
    {
        if (message is not SaveSnapshotFailure failure)
            return false;
        // The base class deletes it next, in this same turn.
        _failedNow = failure.Metadata;
        return true;
    }

    /// <inheritdoc />
    protected override async Task<SelectedSnapshot> LoadAsync(
        string persistenceId,
        SnapshotSelectionCriteria criteria,
        CancellationToken cancellationToken
    )
    {
        var found = await Client.LoadSnapshotAsync(persistenceId, Bounds(criteria), Client.Begin(), cancellationToken);
        return found is null ? null! : _mapping.ToSelected(found);
    }

    /// <inheritdoc />
    protected override async Task SaveAsync(SnapshotMetadata metadata, object snapshot, CancellationToken cancellationToken)
    {
        var began = Client.Begin();
        var key = (metadata.PersistenceId, metadata.SequenceNr);
        try
        {
            var serialized = _mapping.ToSnapshot(metadata, snapshot);
            await _saves.RunAsync(
                metadata.PersistenceId,
                () => Client.SaveSnapshotAsync(serialized, began, cancellationToken),
                cancellationToken
            );
        }
        catch
        {
            _failed[key] = metadata.Timestamp.Ticks;
            throw;
        }
    }

    /// <inheritdoc />
    protected override Task DeleteAsync(SnapshotMetadata metadata, CancellationToken cancellationToken)
    {
        var (id, number) = (metadata.PersistenceId, metadata.SequenceNr);
        if (ReferenceEquals(metadata, _failedNow))
        {
            _failedNow = null;
            // Not even begun, for example because the circuit breaker is open: there is nothing to delete.
            return _failed.TryRemove((id, number), out var ticks)
                ? Client.DeleteSnapshotAsync(id, number, ticks, maxTicks: null, Client.Begin(), cancellationToken)
                : Task.CompletedTask;
        }
        long? maxTicks = metadata.Timestamp == DateTime.MinValue ? null : metadata.Timestamp.Ticks;
        return Client.DeleteSnapshotAsync(id, number, ticks: null, maxTicks, Client.Begin(), cancellationToken);
    }

    /// <inheritdoc />
    protected override Task DeleteAsync(string persistenceId, SnapshotSelectionCriteria criteria, CancellationToken cancellationToken) =>
        Client.DeleteSnapshotsAsync(persistenceId, Bounds(criteria), Client.Begin(), cancellationToken);

    private static SnapshotBounds Bounds(SnapshotSelectionCriteria criteria) =>
        new()
        {
            MinNumber = criteria.MinSequenceNr,
            MaxNumber = criteria.MaxSequenceNr,
            MinTicks = criteria.MinTimestamp?.Ticks ?? 0,
            MaxTicks = criteria.MaxTimeStamp.Ticks,
        };

    private bool WaitForServer(object message)
    {
        switch (message)
        {
            case ServerReady:
                UnbecomeStacked();
                Stash.UnstashAll();
                break;
            case Status.Failure:
                // The actor system ends.
                break;
            case CheckSnapshotStoreHealth check:
                Sender.Tell(new SnapshotStoreHealthCheckResponse(_shared.NotReady()));
                break;
            default:
                Stash.Stash();
                break;
        }
        return true;
    }
}
