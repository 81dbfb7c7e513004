using Jackdaw.EventStreams.Client;

namespace Akka.Persistence.Jackdaw.Connections;

/// <summary>A client that all plug-ins with the same settings use, so that appends of all actors of the process are joined.</summary>
internal sealed class SharedClient : IAsyncDisposable
{
    private readonly CancellationTokenSource _end = new();
    private volatile Exception? _lastFailure;

    /// <param name="client">The client, which it owns from now on.</param>
    /// <param name="failed">Is told why the server cannot be used yet, once in a row for each reason.</param>
    public SharedClient(EventStreamsClient client, Action<Exception> failed)
    {
        Client = client;
        Ready = Client.WaitUntilReadyAsync(Tell, _end.Token);

        void Tell(Exception failure)
        {
            _lastFailure = failure;
            failed(failure);
        }
    }

    public EventStreamsClient Client { get; }

    /// <summary>Ends once the server has answered and the database is there; fails only when the actor system ends before.</summary>
    public Task Ready { get; }

    /// <summary>What a health check says while <see cref="Ready"/> has not ended.</summary>
    public PersistenceHealthCheckResult NotReady() =>
        new(
            PersistenceHealthStatus.Degraded,
            $"Waiting for the database {Client.Options.Database} at {Client.Options.Url}. {_lastFailure?.Message}".TrimEnd(),
            Ready.Exception?.InnerException ?? _lastFailure
        );

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await Client.DisposeAsync();
        await Ready.ContinueWith(_ => { }, TaskScheduler.Default);
        _end.Dispose();
    }
}
