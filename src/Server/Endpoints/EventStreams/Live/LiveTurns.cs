namespace Jackdaw.Server.Endpoints.EventStreams.Live;

/// <summary>
/// While others write, half of the processors serve live readers, one reader after another, and take a share of their time. What comes
/// meanwhile waits to be given together, so a thousand readers of every event slow each other down, and not the writers. A few readers
/// notice nothing. Thread-safe.
/// </summary>
internal sealed class LiveTurns : IDisposable
{
    private readonly Lock _gate = new();
    private readonly LiveBudget _budget;
    private readonly SemaphoreSlim _turns;

    /// <param name="limits">The share.</param>
    public LiveTurns(LiveReadLimits limits)
    {
        _budget = new LiveBudget(TimeProvider.System, limits.ShareBesideWrites * Environment.ProcessorCount, limits.SavedBesideWrites);
        _turns = new SemaphoreSlim(Math.Max(1, Environment.ProcessorCount / 2));
    }

    /// <summary>Waits for a turn; <see cref="End"/> gives it back.</summary>
    /// <exception cref="OperationCanceledException">It is to stop; it has no turn.</exception>
    public async ValueTask BeginAsync(CancellationToken stop)
    {
        await _turns.WaitAsync(stop);
        try
        {
            TimeSpan rest;
            lock (_gate)
                rest = _budget.Rest;
            if (rest > TimeSpan.Zero)
                await Task.Delay(rest < LiveReadLimits.LongestRest ? rest : LiveReadLimits.LongestRest, stop);
        }
        catch
        {
            _turns.Release();
            throw;
        }
    }

    /// <summary>Ends a turn that took so long.</summary>
    public void End(TimeSpan time)
    {
        lock (_gate)
            _budget.Spend(time);
        _turns.Release();
    }

    /// <inheritdoc/>
    public void Dispose() => _turns.Dispose();
}
