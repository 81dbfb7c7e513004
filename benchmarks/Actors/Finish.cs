namespace Jackdaw.Bench.Actors;

/// <summary>Tells when a number of actors have had all their events.</summary>
internal sealed class Finish
{
    private readonly Lock _lock = new();
    private TaskCompletionSource<List<double>> _all = new();
    private List<double> _latencies = [];
    private int _missing;

    /// <summary>Begins a run; the task gives the latencies that the actors measured, in microseconds.</summary>
    public Task<List<double>> Begin(int actors)
    {
        lock (_lock)
        {
            _missing = actors;
            _latencies = [];
            _all = new TaskCompletionSource<List<double>>(TaskCreationOptions.RunContinuationsAsynchronously);
            return _all.Task;
        }
    }

    public void Done(List<double> latencies)
    {
        lock (_lock)
        {
            _latencies.AddRange(latencies);
            if (--_missing == 0)
                _all.TrySetResult(_latencies);
        }
    }

    public void Fail(string why)
    {
        lock (_lock)
            _all.TrySetException(new BenchFailureException(why));
    }
}
