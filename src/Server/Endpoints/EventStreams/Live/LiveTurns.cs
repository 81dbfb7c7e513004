using Jackdaw.Documents;

namespace Jackdaw.Server.Endpoints.EventStreams.Live;

/// <summary>
/// Half of the processors serve live readers, one reader after another. While others write, readers take a share of the processors' time.
/// What comes meanwhile waits to be given together, so a thousand readers of every event slow each other down, and not the writers. A few
/// readers notice nothing. Thread-safe.
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
    /// <param name="database">Whose writers are to have the rest of the time. Where they have stopped meanwhile, nobody rests for
    /// them.</param>
    /// <param name="stop">Ends the waiting.</param>
    /// <exception cref="OperationCanceledException">It is to stop; it has no turn.</exception>
    public async ValueTask BeginAsync(Database database, CancellationToken stop)
    {
        await _turns.WaitAsync(stop);
        try
        {
            TimeSpan rest;
            lock (_gate)
                rest = _budget.Rest;
            if (rest > TimeSpan.Zero && database.HasRecentForegroundWrites)
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
