using System.Diagnostics;

namespace Jackdaw.Bench.Frame;

/// <summary>Runs one benchmark: prepares the contenders, runs them in turns (A B A B ...), and cleans up.</summary>
internal sealed class Runner(Workspace workspace, RunSettings settings, ProgressLine progress)
{
    public async Task<BenchmarkResult> RunAsync(Benchmark benchmark, CancellationToken cancel)
    {
        var clock = Stopwatch.StartNew();
        long needed = benchmark.DiskBytesNeeded(settings);
        int runs = benchmark.Runs(settings);
        List<Entrant> entrants = [.. benchmark.CreateContenders(settings).Select(c => new Entrant(c, workspace.NewFolder()))];
        try
        {
            if (workspace.FreeBytes < needed)
            {
                foreach (Entrant entrant in entrants)
                    entrant.Absent = $"needs {needed / 1e9:0.0} GB of disk, {workspace.FreeBytes / 1e9:0.0} GB are free";
            }
            await PrepareAsync(benchmark, entrants, cancel);
            for (int round = 1; round <= runs; round++)
                await RunRoundAsync(benchmark, entrants, round, runs, cancel);
        }
        finally
        {
            foreach (Entrant entrant in entrants)
            {
                await entrant.GuardAsync(entrant.Contender.CloseAsync, cancel);
                Workspace.Remove(entrant.Directory);
            }
            progress.Clear();
        }
        Outcome[] outcomes = [.. entrants.Select(e => new Outcome(e.Contender.Name, e.Samples, e.Absent, e.Failure))];
        return new BenchmarkResult(benchmark, settings, runs, outcomes, clock.Elapsed);
    }

    private async Task PrepareAsync(Benchmark benchmark, List<Entrant> entrants, CancellationToken cancel)
    {
        foreach (Entrant entrant in entrants.Where(e => e.IsIn))
        {
            string title = $"{benchmark.Name}: preparing {entrant.Contender.Name}";
            progress.Show(title);
            await entrant.GuardAsync(() => entrant.Contender.PrepareAsync(Context(entrant, 0, title), cancel), cancel);
        }
    }

    private async Task RunRoundAsync(Benchmark benchmark, List<Entrant> entrants, int round, int runs, CancellationToken cancel)
    {
        foreach (Entrant entrant in entrants.Where(e => e.IsIn))
        {
            string title = $"{benchmark.Name}: round {round} of {runs}, {entrant.Contender.Name}";
            progress.Show(title);
            // What one contender left on the managed heap or unwritten in the page cache is not the next one's to pay for.
            GC.Collect();
            Measurement.FileSystem.Sync(entrant.Directory);
            await entrant.GuardAsync(
                async () =>
                {
                    Sample sample = await entrant.Contender.RunAsync(Context(entrant, round, title), cancel);
                    entrant.Samples.Add(sample);
                    progress.Note(
                        title,
                        string.Join(", ", sample.Values.Select(v => $"{v.Key.Name} {v.Key.Format(v.Value, withUnit: true)}"))
                    );
                    await entrant.Contender.SettleAsync(cancel);
                },
                cancel
            );
        }
    }

    private RunContext Context(Entrant entrant, int round, string title) =>
        new(settings, entrant.Directory, round, words => progress.Show($"{title}: {words}"));
}
