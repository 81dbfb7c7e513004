using System.Globalization;
using System.Text;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>Columns of the orders in a table of PostgreSQL, with an index each.</summary>
internal static class PostgreSqlOrders
{
    private const int BufferSize = 128 << 10;

    private static readonly Column s_customer = new("customer", "text", "btree", number => $"customers/{OrderBodies.CustomerOf(number)}");
    private static readonly Column s_status = new("status", "text", "btree", OrderBodies.StatusOf);
    private static readonly Column s_total = new(
        "total",
        "numeric",
        "btree",
        number => OrderBodies.TotalOf(number).ToString(CultureInfo.InvariantCulture)
    );
    private static readonly Column s_orderedAt = new("ordered_at", "timestamp", "btree", OrderBodies.DateOf);
    private static readonly Column s_number = new("number", "bigint", "btree", number => number.ToString(CultureInfo.InvariantCulture));
    private static readonly Column s_tags = new("tags", "text[]", "gin", number => $"{{{string.Join(',', OrderBodies.TagsOf(number))}}}");

    /// <summary>A column.</summary>
    /// <param name="Name">In the table.</param>
    /// <param name="Type">Of its values.</param>
    /// <param name="IndexMethod">Of its index.</param>
    /// <param name="Value">The text that COPY reads of an order.</param>
    internal sealed record Column(string Name, string Type, string IndexMethod, Func<long, string> Value);

    public static IReadOnlyList<Column> FourColumns { get; } = [s_customer, s_status, s_total, s_orderedAt];

    public static IReadOnlyList<Column> SixColumns { get; } = [s_number, s_customer, s_status, s_total, s_orderedAt, s_tags];

    /// <summary>Makes the empty table anew.</summary>
    public static Task CreateAsync(PostgreSqlServer server, IReadOnlyList<Column> columns, CancellationToken cancel)
    {
        string definitions = string.Concat(columns.Select(column => $", {column.Name} {column.Type} NOT NULL"));
        string indexes = string.Concat(columns.Select(column => $"; CREATE INDEX ON orders USING {column.IndexMethod} ({column.Name})"));
        return server.QueryAsync($"DROP TABLE IF EXISTS orders; CREATE TABLE orders (id text NOT NULL{definitions}){indexes}", cancel);
    }

    public static Task CopyAsync(PostgreSqlServer server, long orders, IReadOnlyList<Column> columns, CancellationToken cancel) =>
        server.QueryAsync(
            $"COPY orders (id, {string.Join(", ", columns.Select(column => column.Name))}) FROM STDIN",
            cancel,
            input => WriteRowsAsync(input, orders, columns)
        );

    private static async Task WriteRowsAsync(Stream input, long orders, IReadOnlyList<Column> columns)
    {
        byte[] buffer = new byte[BufferSize + 1024];
        int used = 0;
        var row = new StringBuilder();
        for (long number = 0; number < orders; number++)
        {
            row.Clear().Append(CultureInfo.InvariantCulture, $"{DocumentIds.Prefix}{number}");
            foreach (Column column in columns)
                row.Append('\t').Append(column.Value(number));
            used += Encoding.ASCII.GetBytes(row.Append('\n').ToString(), buffer.AsSpan(used));
            if (used < BufferSize)
                continue;
            await input.WriteAsync(buffer.AsMemory(0, used));
            used = 0;
        }
        await input.WriteAsync(buffer.AsMemory(0, used));
    }
}
