namespace Akka.Persistence.Jackdaw.Snapshots;

/// <summary>Runs the work of each key one after another, in the order in which it came, and that of different keys side by side.</summary>
internal sealed class Turns
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, Task> _last = new(StringComparer.Ordinal);

    /// <summary>Takes the next turn of the key at once, and runs the work when those before it have ended, however.</summary>
    public Task<T> RunAsync<T>(string key, Func<Task<T>> work)
    {
        lock (_lock)
        {
            var before = _last.GetValueOrDefault(key, Task.CompletedTask);
            var mine = Task.Run(async () =>
            {
                await before.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                return await work();
            });
            _last[key] = mine;
            _ = ForgetAsync(key, mine);
            return mine;
        }
    }

    private async Task ForgetAsync(string key, Task mine)
    {
        await mine.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ForceYielding);
        lock (_lock)
        {
            if (_last.TryGetValue(key, out var last) && last == mine)
                _last.Remove(key);
        }
    }
}
