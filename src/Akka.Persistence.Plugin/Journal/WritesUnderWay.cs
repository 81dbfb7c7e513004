using System.Collections.Concurrent;

namespace Akka.Persistence.Jackdaw.Journal;

/// <summary>The writes of each persistence id that this process has begun and not finished.</summary>
internal sealed class WritesUnderWay
{
    private readonly ConcurrentDictionary<string, Task> _writes = new(StringComparer.Ordinal);

    /// <summary>Notes a write before the caller goes on.</summary>
    public void Add(string persistenceId, Task write)
    {
        var settled = _writes.AddOrUpdate(
            persistenceId,
            static (_, write) => Settled(write),
            static (_, before, write) => Task.WhenAll(before, Settled(write)),
            write
        );
        _ = RemoveAsync(persistenceId, settled);
    }

    /// <summary>Ends when the writes that are under way now have ended, however.</summary>
    public Task WhenSettled(string persistenceId) => _writes.GetValueOrDefault(persistenceId, Task.CompletedTask);

    private static async Task Settled(Task write) => await write.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    private async Task RemoveAsync(string persistenceId, Task settled)
    {
        await settled;
        _writes.TryRemove(new KeyValuePair<string, Task>(persistenceId, settled));
    }
}
