using Akka.Event;
using Jackdaw.EventStreams.Client.Errors;

namespace Akka.Persistence.Jackdaw.Query;

/// <summary>Repeats the reads of live queries while the server is away. Each outage is logged once, however many queries wait.</summary>
internal sealed class Outages(ILoggingAdapter log)
{
    /// <summary>Each attempt has lasted for some seconds already.</summary>
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    private int _isAway;

    /// <summary>Reads until the server answers. Errors that do not pass are thrown.</summary>
    public async Task<T> OutlastAsync<T>(Func<Task<T>> read, CancellationToken cancel)
    {
        while (true)
        {
            try
            {
                var result = await read();
                if (Volatile.Read(ref _isAway) == 1 && Interlocked.Exchange(ref _isAway, 0) == 1)
                    log.Info("The server answers again. Live queries continue.");
                return result;
            }
            catch (ServerUnavailableException e)
            {
                if (Interlocked.Exchange(ref _isAway, 1) == 0)
                    log.Warning("Live queries wait for the server: {0}", e.Message);
            }
            await Task.Delay(Pause, cancel);
        }
    }
}
