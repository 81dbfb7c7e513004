using Akka.Actor;
using Akka.Configuration;
using Akka.Event;
using Jackdaw.EventStreams.Client;

namespace Akka.Persistence.Jackdaw.Connections;

/// <summary>
/// What a plug-in's actor knows of its server. Until the server has answered, messages to the actor wait in its stash, and no circuit
/// breaker counts them. With settings that cannot be used the actor lives all the same: each call fails with the reason, which the health
/// check reports. Each call tries the settings again, so a certificate file that appears later is enough.
/// </summary>
internal sealed class PluginServer
{
    private readonly IActorContext _context;
    private readonly IWithUnboundedStash _actor;
    private readonly SharedClients _clients;
    private readonly Config _section;
    private readonly string _path;
    private volatile SharedClient? _shared;

    /// <param name="context">The actor's.</param>
    /// <param name="actor">The actor, which is being created.</param>
    /// <param name="section">Its section of the configuration, with the defaults of the plug-in behind it.</param>
    public PluginServer(IActorContext context, IWithUnboundedStash actor, Config section)
    {
        _context = context;
        _actor = actor;
        _clients = SharedClients.Of(context.System);
        _section = section;
        _path = context.Self.Path.Name;
        try
        {
            _shared = _clients.Get(section, _path);
            WarnOfLongRepeats();
        }
        catch (ConfigurationException e)
        {
            context.GetLogger().Error(e, "{0} cannot be used: {1}", _path, e.Message);
        }
    }

    /// <summary>The client of the server. May be called from any thread.</summary>
    /// <exception cref="ConfigurationException">A setting is missing or cannot be used.</exception>
    public EventStreamsClient Client => Shared().Client;

    /// <summary>Called by the actor's <c>PreStart</c>: stashes messages until the server has answered.</summary>
    public void Start()
    {
        if (_shared is not { Ready.IsCompletedSuccessfully: false } shared)
            return;
        shared.Ready.PipeTo(_context.Self, success: () => ServerReady.Instance);
        _context.BecomeStacked(Wait);
    }

    /// <summary>Answers a health check: with <paramref name="usual"/> once the server has answered, with the reason before that.</summary>
    public Task<PersistenceHealthCheckResult> CheckHealthAsync(Func<Task<PersistenceHealthCheckResult>> usual)
    {
        SharedClient shared;
        try
        {
            shared = Shared();
        }
        catch (ConfigurationException e)
        {
            return Task.FromResult(new PersistenceHealthCheckResult(PersistenceHealthStatus.Unhealthy, e.Message, e));
        }
        return shared.Ready.IsCompletedSuccessfully ? usual() : Task.FromResult(shared.NotReady());
    }

    private SharedClient Shared() => _shared ??= _clients.Get(_section, _path);

    private bool Wait(object message)
    {
        switch (message)
        {
            case ServerReady:
                _context.UnbecomeStacked();
                _actor.Stash.UnstashAll();
                break;
            case Status.Failure:
                // The actor system ends.
                break;
            case CheckJournalHealth:
                _context.Sender.Tell(new JournalHealthCheckResponse(Shared().NotReady()));
                break;
            case CheckSnapshotStoreHealth:
                _context.Sender.Tell(new SnapshotStoreHealthCheckResponse(Shared().NotReady()));
                break;
            default:
                _actor.Stash.Stash();
                break;
        }
        return true;
    }

    private void WarnOfLongRepeats()
    {
        var repeatFor = _section.GetTimeSpan("repeat-for");
        var callTimeout = _section.GetTimeSpan("circuit-breaker.call-timeout", TimeSpan.MaxValue);
        if (repeatFor >= callTimeout)
            _context
                .GetLogger()
                .Warning(
                    "{0}.repeat-for is {1}, and circuit-breaker.call-timeout {2}: the circuit breaker gives calls up while they are still "
                        + "repeated. Make repeat-for shorter.",
                    _path,
                    repeatFor,
                    callTimeout
                );
    }
}
