using System.Collections.Immutable;
using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Jackdaw.Connections;
using Akka.Persistence.Jackdaw.Journal;
using Akka.Persistence.Jackdaw.Mapping;
using Akka.Persistence.Journal;
using Jackdaw.EventStreams.Client;
using Jackdaw.EventStreams.Client.Appending;
using Jackdaw.EventStreams.Client.Errors;

namespace Akka.Persistence.Jackdaw;

/// <summary>
/// The journal: each persistence id is an event stream. Appends of all actors of the process are joined. A call is repeated after a lost
/// connection or answer until <c>repeat-for</c> has passed since it began. Only what is known not to be stored and is not the store's fault
/// is a rejection: an event that cannot be serialised, and one over a limit.
/// </summary>
public sealed class JackdawJournal : AsyncWriteJournal, IWithUnboundedStash
{
    private readonly SharedClient _shared;
    private readonly EventMapping _mapping;

    /// <summary>Creates the journal of a section of the configuration.</summary>
    /// <exception cref="ConfigurationException">A setting is missing or makes no sense.</exception>
    public JackdawJournal(Config config)
    {
        _shared = SharedClients.Of(Context.System).Get(config, Self.Path.Name);
        _mapping = new EventMapping((ExtendedActorSystem)Context.System, config.GetString("serializer", null));
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
    protected override async Task<IImmutableList<Exception>> WriteMessagesAsync(
        IEnumerable<AtomicWrite> messages,
        CancellationToken cancellationToken
    )
    {
        // All of it is in the client's queue before this method first waits, so a later reading of a highest number waits for it.
        var batch = new WriteBatch(Client, _mapping, messages);
        await Task.WhenAll(batch.Appends(Client.Begin(), cancellationToken));
        return batch.Rejections!;
    }

    /// <inheritdoc />
    public override async Task<long> ReadHighestSequenceNrAsync(
        string persistenceId,
        long fromSequenceNr,
        CancellationToken cancellationToken
    ) => (await Client.HighestAsync(persistenceId, Client.Begin(), cancellationToken)).Highest;

    /// <inheritdoc />
    public override async Task ReplayMessagesAsync(
        IActorContext context,
        string persistenceId,
        long fromSequenceNr,
        long toSequenceNr,
        long max,
        Action<IPersistentRepresentation> recoveryCallback
    )
    {
        if (max <= 0)
            return;
        await foreach (var stored in Client.ReadAsync(persistenceId, fromSequenceNr, toSequenceNr, max))
            recoveryCallback(_mapping.ToRepresentation(stored));
    }

    /// <inheritdoc />
    protected override Task DeleteMessagesToAsync(string persistenceId, long toSequenceNr, CancellationToken cancellationToken) =>
        Client.DeleteAsync(persistenceId, toSequenceNr, Client.Begin(), cancellationToken);

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
            case CheckJournalHealth:
                return ReceiveWriteJournal(message);
            default:
                Stash.Stash();
                break;
        }
        return true;
    }
}
