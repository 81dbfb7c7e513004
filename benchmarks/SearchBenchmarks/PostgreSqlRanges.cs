using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>The same ranges: a count and 25 rows, as one statement a range, through pgbench.</summary>
internal sealed class PostgreSqlRanges(long orders, int clients) : Contender(RowName)
{
    public const string RowName = "postgresql";
    private PostgreSqlServer? _server;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        _server = await PostgreSqlServer.StartAsync(context.Directory, cancel);
        await PostgreSqlOrders.CreateAsync(_server, PostgreSqlOrders.FourColumns, cancel);
        await PostgreSqlOrders.CopyAsync(_server, orders, PostgreSqlOrders.FourColumns, cancel);
        await _server.QueryAsync("VACUUM ANALYZE orders", cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel) =>
        new Sample().With(
            Metric.Rate,
            await _server!.MeasureAsync(
                """
                \set n random(0, 989999)
                SELECT (SELECT count(*) FROM orders WHERE total BETWEEN :n AND :n + 9000), id, customer, status, total, ordered_at
                FROM orders                 WHERE total BETWEEN :n AND :n + 9000 LIMIT 25;
                """,
                clients,
                context.Settings.Duration(10, 1),
                context.Directory,
                [],
                cancel
            )
        );

    public override async Task CloseAsync()
    {
        if (_server is not null)
            await _server.DisposeAsync();
    }
}
