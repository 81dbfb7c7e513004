using Jackdaw.Bench.Frame;
using Xunit;

namespace Jackdaw.Bench.Tests;

public sealed class RunnerTests : IDisposable
{
    private readonly Workspace _workspace = new(Path.Combine(Path.GetTempPath(), "jackdaw-bench-tests"));
    private readonly List<string> _log = [];

    [Fact]
    public async Task Contenders_take_turns_and_one_that_fails_or_is_absent_takes_no_other_with_it()
    {
        BenchmarkResult result = await RunAsync(
            runs: 2,
            new Recorded("a", _log),
            new Recorded("absent", _log) { PrepareError = new ContenderUnavailableException("no package") },
            new Recorded("failing", _log) { RunError = new IOException("the disk is gone") },
            new Recorded("b", _log)
        );

        Assert.Equal(
            [
                "a prepared",
                "failing prepared",
                "b prepared",
                "a round 1",
                "b round 1",
                "a round 2",
                "b round 2",
                "a closed",
                "absent closed",
                "failing closed",
                "b closed",
            ],
            _log
        );
        Assert.Equal("no package", result.Outcomes[1].Absent);
        Assert.Equal("the disk is gone", result.Outcomes[2].Failure);
        Assert.True(result.HasFailures);
        Assert.Equal([1, 2], result.Outcomes[3].Samples.Select(s => s.Values[0].Value));
    }

    [Fact]
    public async Task A_benchmark_that_does_not_fit_on_the_disk_runs_nothing_and_says_what_it_needs()
    {
        BenchmarkResult result = await RunAsync(runs: 1, diskBytes: long.MaxValue, new Recorded("a", _log));

        Assert.Equal(["a closed"], _log);
        Assert.StartsWith("needs ", result.Outcomes[0].Absent);
    }

    [Fact]
    public async Task An_error_while_closing_is_the_contenders_failure_and_the_others_are_closed_all_the_same()
    {
        BenchmarkResult result = await RunAsync(
            runs: 1,
            new Recorded("failing", _log) { CloseError = new InvalidOperationException("still in use") },
            new Recorded("b", _log)
        );

        Assert.Contains("still in use", result.Outcomes[0].Failure);
        Assert.Null(result.Outcomes[1].Failure);
        Assert.Equal("b closed", _log[^1]);
    }

    [Fact]
    public async Task Nothing_is_left_on_the_disk()
    {
        await RunAsync(runs: 1, new Recorded("a", _log));

        Assert.Empty(Directory.EnumerateFileSystemEntries(_workspace.Root));
    }

    public void Dispose() => _workspace.Dispose();

    private Task<BenchmarkResult> RunAsync(int runs, params Contender[] contenders) => RunAsync(runs, diskBytes: 0, contenders);

    private Task<BenchmarkResult> RunAsync(int runs, long diskBytes, params Contender[] contenders)
    {
        var settings = new RunSettings(Quick: true, runs, SecondsOverride: null, _workspace.Root);
        return new Runner(_workspace, settings, new ProgressLine()).RunAsync(new Listed(contenders, diskBytes), CancellationToken.None);
    }

    private sealed class Listed(Contender[] contenders, long diskBytes) : Benchmark
    {
        public override string Name => "listed";

        public override string Group => "tests";

        public override string Measures => "";

        public override IReadOnlyList<Target> Targets => [];

        public override string Sizes(RunSettings settings) => "";

        public override long DiskBytesNeeded(RunSettings settings) => diskBytes;

        public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) => contenders;
    }

    private sealed class Recorded(string name, List<string> log) : Contender(name)
    {
        public Exception? PrepareError { get; init; }

        public Exception? RunError { get; init; }

        public Exception? CloseError { get; init; }

        public override Task PrepareAsync(RunContext context, CancellationToken cancel)
        {
            if (PrepareError is not null)
                throw PrepareError;
            log.Add($"{Name} prepared");
            return File.WriteAllTextAsync(Path.Combine(context.Directory, "file"), "data", cancel);
        }

        public override Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
        {
            if (RunError is not null)
                throw RunError;
            log.Add($"{Name} round {context.Round}");
            return Task.FromResult(new Sample().With(Metric.Rate, context.Round));
        }

        public override Task CloseAsync()
        {
            if (CloseError is not null)
                throw CloseError;
            log.Add($"{Name} closed");
            return Task.CompletedTask;
        }
    }
}
