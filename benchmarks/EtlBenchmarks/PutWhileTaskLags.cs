using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.EtlBenchmarks;

internal sealed class PutWhileTaskLags : Benchmark
{
    private const int Connections = 64;
    private const double FullSeconds = 20,
        QuickSeconds = 1;

    public override string Name => "put-while-task-lags";

    public override string Group => Catalogue.Etl;

    public override string Measures =>
        "durable PUTs of 1 KB documents, 64 connections, beside a task that lags a million documents behind because its endpoint is slow";

    public override IReadOnlyList<Target> Targets =>
        [Target.RatioAtLeast(ServerPutsBesideTask.WithTask, 0.9, Metric.Rate, ServerPutsBesideTask.Alone)];

    public override string Sizes(RunSettings settings) =>
        $"{Documents(settings):N0} documents behind, "
        + $"{settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0} s a run, {HttpLoadGenerator.Description}; "
        + $"the endpoint answers after {SlowEndpoint.Delay.TotalMilliseconds:0} ms";

    public override long DiskBytesNeeded(RunSettings settings) => settings.Pick(40L << 30, 4L << 30);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            new ServerPutsBesideTask(
                ServerPutsBesideTask.WithTask,
                Documents(settings),
                hasTask: true,
                Connections,
                FullSeconds,
                QuickSeconds
            ),
            new ServerPutsBesideTask(
                ServerPutsBesideTask.Alone,
                Documents(settings),
                hasTask: false,
                Connections,
                FullSeconds,
                QuickSeconds
            ),
        ];

    private static long Documents(RunSettings settings) => settings.Pick(1_000_000, 100_000);
}
