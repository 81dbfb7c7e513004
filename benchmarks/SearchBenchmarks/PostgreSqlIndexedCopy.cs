using System.Diagnostics;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Measurement;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>COPY of columns of the orders into an empty table that has an index on each of them.</summary>
internal sealed class PostgreSqlIndexedCopy(long orders, IReadOnlyList<PostgreSqlOrders.Column> columns) : Contender(RowName(columns))
{
    private PostgreSqlServer? _server;

    public static string RowName(IReadOnlyList<PostgreSqlOrders.Column> columns) => $"postgresql copy, {columns.Count} indexes";

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel) =>
        _server = await PostgreSqlServer.StartAsync(context.Directory, cancel);

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        await PostgreSqlOrders.CreateAsync(_server!, columns, cancel);
        await _server!.CheckpointAsync(cancel);
        var cpu = new CpuMeter(_server.ProcessId);
        var clock = Stopwatch.StartNew();
        await PostgreSqlOrders.CopyAsync(_server, orders, columns, cancel);
        double seconds = clock.Elapsed.TotalSeconds;
        return new Sample().With(Metric.Rate, orders / seconds).With(Metric.Seconds, seconds).With(Metric.Cpu, cpu.MicrosecondsPer(orders));
    }

    public override Task SettleAsync(CancellationToken cancel) => _server!.CheckpointAsync(cancel);

    public override async Task CloseAsync()
    {
        if (_server is not null)
            await _server.DisposeAsync();
    }
}
