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
    private readonly PluginServer _server;
    private readonly SnapshotMapping _mapping;
    private readonly Turns _turns = new();
    private readonly FailedSaves _failedSaves = new();

    /// <summary>Creates the store of a section of the configuration.</summary>
    public JackdawSnapshotStore(Config config)
    {
        config = JackdawPersistence.SnapshotStore(config);
        _server = new PluginServer(Context, this, config);
        _mapping = new SnapshotMapping((ExtendedActorSystem)Context.System, config.GetString("serializer", null));
    }

    /// <inheritdoc />
    public IStash Stash { get; set; } = null!;

    private EventStreamsClient Client => _server.Client;

    /// <inheritdoc />
    public override Task<PersistenceHealthCheckResult> CheckHealthAsync(CancellationToken cancellationToken = default) =>
        _server.CheckHealthAsync(() => base.CheckHealthAsync(cancellationToken));

    /// <inheritdoc />
    protected override void PreStart()
    {
        base.PreStart();
        _server.Start();
    }

    /// <inheritdoc />
    protected override bool ReceivePluginInternal(object message)
    {
        if (message is not SaveSnapshotFailure failure)
            return false;
        // The base class deletes it next.
        _failedSaves.ExpectDeletion(failure.Metadata);
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
    protected override Task SaveAsync(SnapshotMetadata metadata, object snapshot, CancellationToken cancellationToken)
    {
        var began = Client.Begin();
        return _turns.RunAsync(
            metadata.PersistenceId,
            async () =>
            {
                // Serialised here and not by the actor, which others wait for.
                var serialized = _mapping.ToSnapshot(metadata, snapshot);
                try
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    await Client.SaveSnapshotAsync(serialized, began, cancellationToken);
                    return true;
                }
                catch
                {
                    _failedSaves.Add(metadata);
                    throw;
                }
            }
        );
    }

    /// <inheritdoc />
    protected override Task DeleteAsync(SnapshotMetadata metadata, CancellationToken cancellationToken)
    {
        var (id, number, began) = (metadata.PersistenceId, metadata.SequenceNr, Client.Begin());
        if (_failedSaves.TakeDeletion(metadata))
            return _turns.RunAsync(id, () => DeleteFailedAsync(id, number, began, cancellationToken));
        long? maxTicks = metadata.Timestamp == DateTime.MinValue ? null : metadata.Timestamp.Ticks;
        return _turns.RunAsync(id, () => Client.DeleteSnapshotAsync(id, number, ticks: null, maxTicks, began, cancellationToken));
    }

    /// <inheritdoc />
    protected override Task DeleteAsync(string persistenceId, SnapshotSelectionCriteria criteria, CancellationToken cancellationToken)
    {
        var began = Client.Begin();
        return _turns.RunAsync(persistenceId, () => Client.DeleteSnapshotsAsync(persistenceId, Bounds(criteria), began, cancellationToken));
    }

    /// <summary>Deletes what failed saves may have stored, and no other snapshot of that number.</summary>
    private async Task<bool> DeleteFailedAsync(string id, long number, long began, CancellationToken cancel)
    {
        foreach (var ticks in _failedSaves.Take(id, number))
            await Client.DeleteSnapshotAsync(id, number, ticks, maxTicks: null, began, cancel);
        return true;
    }

    private static SnapshotBounds Bounds(SnapshotSelectionCriteria criteria) =>
        new()
        {
            MinNumber = criteria.MinSequenceNr,
            MaxNumber = criteria.MaxSequenceNr,
            MinTicks = criteria.MinTimestamp?.Ticks ?? 0,
            MaxTicks = criteria.MaxTimeStamp.Ticks,
        };
}
