using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>PostgreSQL under single-row durable inserts of the same documents, by pgbench.</summary>
internal sealed class PostgreSqlInserts(int clients, double fullSeconds, double quickSeconds) : Contender(RowName(clients))
{
    private PostgreSqlServer? _server;
    private string? _body;

    public static string RowName(int clients) => $"postgresql, {clients} clients";

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        _server = await PostgreSqlServer.StartAsync(context.Directory, cancel);
        _body = new DocumentBodies().Lines(1).First();
        await MeasureAsync(context, context.Settings.Duration(5, 1), cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        TimeSpan duration = context.Settings.Duration(fullSeconds, quickSeconds);
        var cpu = new CpuMeter(_server!.ProcessId);
        double rate = await MeasureAsync(context, duration, cancel);
        return new Sample().With(Metric.Rate, rate).With(Metric.Cpu, cpu.MicrosecondsPer((long)(rate * duration.TotalSeconds)));
    }

    public override Task SettleAsync(CancellationToken cancel) => _server!.CheckpointAsync(cancel);

    public override async Task CloseAsync()
    {
        if (_server is not null)
            await _server.DisposeAsync();
    }

    private Task<double> MeasureAsync(RunContext context, TimeSpan duration, CancellationToken cancel) =>
        _server!.MeasureInsertsAsync(_body!, clients, duration, context.Round, context.Directory, cancel);
}
