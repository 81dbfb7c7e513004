using Jackdaw.Simulation.Histories;

namespace Jackdaw.Simulation;

/// <summary>Many seeds on a few threads; each seed on one of them.</summary>
public sealed class SeedRun
{
    private readonly Lock _lock = new();
    private readonly SortedDictionary<ulong, string> _failures = [];
    private int _done;

    public HistoryCounts Counts { get; } = new();

    /// <summary>What failed, in the order of the seeds.</summary>
    public IReadOnlyCollection<string> Failures => _failures.Values;

    public IReadOnlyCollection<ulong> FailedSeeds => _failures.Keys;

    /// <summary>Makes the history of a seed.</summary>
    internal Func<ulong, SeededHistory> History { get; init; } = seed => new SimulatedHistory(seed);

    /// <summary>Is told, one call at a time, how many seeds are done.</summary>
    public Action<int>? Progress { get; set; }

    /// <summary>Ends early once so many have failed.</summary>
    public int MaxFailures { get; set; } = int.MaxValue;

    public void Run(ulong from, int seeds, int threads)
    {
        var next = -1;
        void Work()
        {
            while (Interlocked.Increment(ref next) is var i && i < seeds && _failures.Count < MaxFailures)
                RunOne(from + (ulong)i);
        }

        var workers = Enumerable.Range(0, threads).Select(i => new Thread(Work) { Name = $"simulation {i}" }).ToList();
        workers.ForEach(worker => worker.Start());
        workers.ForEach(worker => worker.Join());
    }

    private void RunOne(ulong seed)
    {
        using var history = History(seed);
        string? failure = null;
        HistoryResult? result = null;
        try
        {
            result = history.Run();
        }
        catch (OracleException error)
        {
            failure = error.ToString();
        }
        lock (_lock)
        {
            if (result != null)
                Counts.Add(result.Counts);
            else
                _failures.Add(seed, failure!);
            Progress?.Invoke(++_done);
        }
    }
}
