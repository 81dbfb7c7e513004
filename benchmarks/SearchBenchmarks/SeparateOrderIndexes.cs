namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>Sets of automatic indexes over the orders that stay apart, each by the query that makes it.</summary>
internal static class SeparateOrderIndexes
{
    /// <summary>One field each. The same six columns have an index each in <see cref="PostgreSqlOrders"/>.</summary>
    public static IReadOnlyList<string> Six { get; } =
    [
        "from Orders where Number = -1 limit 0",
        "from Orders where Customer = 'x' limit 0",
        "from Orders where Status = 'x' limit 0",
        "from Orders where Total < 0 limit 0",
        "from Orders where OrderedAt < '2000' limit 0",
        "from Orders where Tags = 'x' limit 0",
    ];

    /// <summary>Eight fields together, one of them indexed by words.</summary>
    public static IReadOnlyList<string> Five { get; } =
    [
        "from Orders where Customer = 'x' and Status = 'y' limit 0",
        "from Orders where Total < 0 and OrderedAt < '2000' limit 0",
        "from Orders where Number = -1 limit 0",
        "from Orders where Tags = 't' and Weights = -1 limit 0",
        "from Orders where search(Text, 'word') limit 0",
    ];

    /// <summary>Four fields together.</summary>
    public static IReadOnlyList<string> Three { get; } =
    [
        "from Orders where Customer = 'x' and Status = 'y' limit 0",
        "from Orders where Total < 0 limit 0",
        "from Orders where Number = -1 limit 0",
    ];
}
