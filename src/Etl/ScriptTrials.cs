using Jackdaw.Documents;
using Jackdaw.Scripting;

namespace Jackdaw.Etl;

/// <summary>
/// Runs trials of scripts, each on a thread of its own, a few at once. A script may hold its thread for seconds (a slow regular
/// expression does): on threads of the pool, which serve every request, some trials would hold up the whole server. Thread-safe.
/// </summary>
/// <param name="engine">Runs the scripts.</param>
/// <param name="options">As tasks have them.</param>
public sealed class ScriptTrials(ScriptEngine engine, EtlOptions options)
{
    private int _running;

    /// <summary>
    /// Runs a trial: see <see cref="ScriptTrial.Run"/>, also for its errors. Throws <see cref="TrialsBusyException"/> at once when
    /// <see cref="EtlLimits.MaxTrialsAtOnce"/> are running.
    /// </summary>
    /// <param name="database">Where the documents are.</param>
    /// <param name="json">Must stay as it is until the task ends.</param>
    public Task<TrialAnswer> RunAsync(Database database, ReadOnlyMemory<byte> json)
    {
        int limit = options.Limits.MaxTrialsAtOnce;
        if (Interlocked.Increment(ref _running) > limit)
        {
            Interlocked.Decrement(ref _running);
            throw new TrialsBusyException(limit);
        }
        var outcome = new TaskCompletionSource<TrialAnswer>(TaskCreationOptions.RunContinuationsAsynchronously);
        try
        {
            new Thread(() => Run(database, json, outcome)) { Name = $"etl trial {database.Name}", IsBackground = true }.Start();
        }
        catch
        {
            Interlocked.Decrement(ref _running);
            throw;
        }
        return outcome.Task;
    }

    private void Run(Database database, ReadOnlyMemory<byte> json, TaskCompletionSource<TrialAnswer> outcome)
    {
        try
        {
            var answer = ScriptTrial.Run(database, engine, options, json.Span);
            Interlocked.Decrement(ref _running);
            outcome.SetResult(answer);
        }
        catch (Exception e)
        {
            // Whatever it is, the caller is told.
            Interlocked.Decrement(ref _running);
            outcome.SetException(e);
        }
    }
}
