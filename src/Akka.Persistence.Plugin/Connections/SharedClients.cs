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
    /// <param name="section">The section, with the defaults of the plug-in behind it.</param>
    /// <param name="path">Where the section is, for errors.</param>
    /// <exception cref="ConfigurationException">A setting is missing or cannot be used. The next call tries again.</exception>
    public SharedClient Get(Config section, string path)
    {
        var settings = ConnectionSettings.Read(section, path);
        var client = _clients.GetOrAdd(
            settings,
            static (settings, one) => one.Self.NewClient(settings, one.Path),
            (Self: this, Path: path)
        );
        try
        {
            return client.Value;
        }
        catch (ConfigurationException)
        {
            _clients.TryRemove(new KeyValuePair<ConnectionSettings, Lazy<SharedClient>>(settings, client));
            throw;
        }
    }

    private Lazy<SharedClient> NewClient(ConnectionSettings settings, string path) =>
        new(() =>
            new SharedClient(settings.NewClient(path), e => _log.Warning("Waiting for the server at {0}: {1}", settings.Url, e.Message))
        );

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
