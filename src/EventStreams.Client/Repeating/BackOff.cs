namespace Jackdaw.EventStreams.Client.Repeating;

/// <summary>Growing pauses between attempts, with some chance in them so that clients do not return all at once.</summary>
internal struct BackOff(TimeProvider clock)
{
    private const int FirstMs = 20;
    private const int LastMs = 500;
    private int _attempts;

    /// <summary>Waits, at most for <paramref name="atMost"/>.</summary>
    public Task WaitAsync(TimeSpan atMost, CancellationToken cancel)
    {
        var ms = Math.Min(LastMs, FirstMs << Math.Min(_attempts++, 10)) * (0.75 + (Random.Shared.NextDouble() / 2));
        var pause = TimeSpan.FromMilliseconds(ms);
        return Task.Delay(pause < atMost ? pause : atMost, clock, cancel);
    }
}
