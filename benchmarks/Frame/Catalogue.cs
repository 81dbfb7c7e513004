namespace Jackdaw.Bench.Frame;

/// <summary>All benchmarks, in the order in which they are listed and run.</summary>
internal static class Catalogue
{
    public const string Storage = "storage";
    public const string Documents = "documents";

    public static IReadOnlyList<Benchmark> All { get; } =
    [
        new DocumentBenchmarks.HttpPut(),
    ];

    public static IReadOnlyList<Benchmark> InGroup(string group) => [.. All.Where(b => b.Group == group)];
}
