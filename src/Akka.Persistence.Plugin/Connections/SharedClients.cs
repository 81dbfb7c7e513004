using System.Collections.Concurrent;
using Akka.Actor;
using Akka.Configuration;
using Akka.Event;

namespace Akka.Persistence.Jackdaw.Connections;

/// <summary>The clients of an actor system, one for each server and database; they end with the system.</summary>
internal sealed class SharedClients : IExtension
{
    private readonly ConcurrentDictionary<ConnectionSettings, Lazy<SharedClient>> _clients = new();
    private readonly ILoggingAdapter _log;

    private SharedClients(ExtendedActorSystem system)
    {
        _log = Logging.GetLogger(system, typeof(SharedClients));
        system.RegisterOnTermination(End);
    }

    public static SharedClients Of(ActorSystem system) => system.WithExtension<SharedClients, Provider>();

    /// <summary>Gives the client of a plug-in's section.</summary>
    /// <exception cref="ConfigurationException">A setting is missing or makes no sense.</exception>
    public SharedClient Get(Config section, string path) => _clients.GetOrAdd(ConnectionSettings.Read(section, path), NewClient).Value;

    private Lazy<SharedClient> NewClient(ConnectionSettings settings) =>
        new(() => new SharedClient(settings, e => _log.Warning("Waiting for the server at {0}: {1}", settings.Url, e.Message)));

    private void End()
    {
        foreach (var client in _clients.Values)
            if (client.IsValueCreated)
                client.Value.DisposeAsync().AsTask().ContinueWith(_ => { }, TaskScheduler.Default);
    }

    private sealed class Provider : ExtensionIdProvider<SharedClients>
    {
        public override SharedClients CreateExtension(ExtendedActorSystem system) => new(system);
    }
}
