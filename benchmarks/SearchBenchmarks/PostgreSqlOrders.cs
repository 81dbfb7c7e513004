using System.Globalization;
using System.Text;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>The orders' four fields in a table of PostgreSQL, with an index each.</summary>
internal static class PostgreSqlOrders
{
    private const int BufferSize = 128 << 10;

    public static Task CreateAsync(PostgreSqlServer server, CancellationToken cancel) =>
        server.QueryAsync(
            """
            DROP TABLE IF EXISTS orders;
            CREATE TABLE orders (
              id text NOT NULL, customer text NOT NULL, status text NOT NULL, total numeric NOT NULL, ordered_at timestamp NOT NULL);
            CREATE INDEX ON orders (customer); CREATE INDEX ON orders (status);
            CREATE INDEX ON orders (total); CREATE INDEX ON orders (ordered_at)
            """,
            cancel
        );

    public static Task CopyAsync(PostgreSqlServer server, long orders, CancellationToken cancel) =>
        server.QueryAsync(
            "COPY orders (id, customer, status, total, ordered_at) FROM STDIN",
            cancel,
            input => WriteRowsAsync(input, orders)
        );

    private static async Task WriteRowsAsync(Stream input, long orders)
    {
        byte[] buffer = new byte[BufferSize + 1024];
        int used = 0;
        for (long number = 0; number < orders; number++)
        {
            used += Encoding.ASCII.GetBytes(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"{DocumentIds.Prefix}{number}\tcustomers/{OrderBodies.CustomerOf(number)}\t{OrderBodies.StatusOf(number)}\t{OrderBodies.TotalOf(number)}\t{OrderBodies.DateOf(number)}\n"
                ),
                buffer.AsSpan(used)
            );
            if (used < BufferSize)
                continue;
            await input.WriteAsync(buffer.AsMemory(0, used));
            used = 0;
        }
        await input.WriteAsync(buffer.AsMemory(0, used));
    }
}
