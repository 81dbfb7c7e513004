using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>A contender that is the server with orders in it.</summary>
internal abstract class OrdersServer(string name, long orders) : ServerContender(name)
{
    /// <summary>Orders in a run of this size.</summary>
    public static long Orders(RunSettings settings) => settings.Pick(1_000_000, 20_000);

    protected long Count => orders;

    protected async Task LoadOrdersAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        await InsertOrdersAsync(context, cancel);
    }

    /// <summary>Makes one automatic index for each query, loads the orders, and leaves the indexes disabled; returns their
    /// names.</summary>
    protected async Task<IReadOnlyList<string>> LoadOrdersAsync(RunContext context, IEnumerable<string> queries, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        IReadOnlyList<string> indexes = await Server.CreateSeparateIndexesAsync(queries, cancel);
        await InsertOrdersAsync(context, cancel);
        return indexes;
    }

    /// <summary>Has an index made by asking a query of it, and waits until it holds all orders.</summary>
    protected async Task IndexAsync(RunContext context, string query, CancellationToken cancel)
    {
        context.Progress("indexing");
        await Server.QueryAsync(query, cancel);
        await Server.WaitForIndexesAsync(cancel);
    }

    private async Task InsertOrdersAsync(RunContext context, CancellationToken cancel)
    {
        context.Progress($"loading {orders:N0} orders");
        await Server.BulkInsertAsync(new OrderBodies(), 0, orders, cancel);
        await Server.RequireCountAsync(orders, cancel);
    }
}
