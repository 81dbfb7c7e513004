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
    private readonly PluginServer _server;
    private readonly EventMapping _mapping;
    private readonly WritesUnderWay _writes = new();

    /// <summary>Creates the journal of a section of the configuration.</summary>
    public JackdawJournal(Config config)
    {
        config = JackdawPersistence.Journal(config);
        _server = new PluginServer(Context, this, config);
        _mapping = new EventMapping((ExtendedActorSystem)Context.System, config.GetString("serializer", null));
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
    protected override Task<IImmutableList<Exception>> WriteMessagesAsync(
        IEnumerable<AtomicWrite> messages,
        CancellationToken cancellationToken
    )
    {
        var began = Client.Begin();
        // Enumerated once, here: the event adapters run in it.
        var writes = messages.ToArray();
        // Serialised elsewhere, so that one actor's large event does not hold up all others.
        var write = Task.Run(() => WriteAsync(writes, began, cancellationToken), CancellationToken.None);
        foreach (var id in writes.Select(one => one.PersistenceId).Distinct(StringComparer.Ordinal))
            _writes.Add(id, write);
        return write!;
    }

    /// <inheritdoc />
    public override async Task<long> ReadHighestSequenceNrAsync(
        string persistenceId,
        long fromSequenceNr,
        CancellationToken cancellationToken
    )
    {
        var began = Client.Begin();
        // Otherwise an actor that was restarted would use numbers again which its former self is storing.
        await _writes.WhenSettled(persistenceId).WaitAsync(Client.Options.RepeatFor, cancellationToken);
        return (await Client.HighestAsync(persistenceId, began, cancellationToken)).Highest;
    }

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
        await new Replay(_mapping, recoveryCallback).RunAsync(Client.ReadAsync(persistenceId, fromSequenceNr, toSequenceNr, max));
    }

    /// <inheritdoc />
    protected override Task DeleteMessagesToAsync(string persistenceId, long toSequenceNr, CancellationToken cancellationToken) =>
        Client.DeleteAsync(persistenceId, toSequenceNr, Client.Begin(), cancellationToken);

    /// <summary>Returns what became of each atomic write; null when all are stored.</summary>
    private async Task<IImmutableList<Exception?>?> WriteAsync(AtomicWrite[] writes, long began, CancellationToken cancel)
    {
        var batch = new WriteBatch(Client, _mapping, writes);
        await Task.WhenAll(batch.Appends(began, cancel));
        return batch.Rejections;
    }
}
