using System.Diagnostics;
using System.Text.Json;
using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>Two indexes over so many small documents: queries of them, and the time for a batch more.</summary>
internal sealed class ServerGrownIndex(string name, long documents) : ServerContender(name)
{
    public const int StepDocuments = 50_000;

    public static readonly Metric OneMatch = new("one match p50", "ms", 3);
    public static readonly Metric AbsentToken = new("absent token p50", "ms", 3);
    public static readonly Metric Range = new("range of 9,000 p50", "ms", 3);
    public static readonly Metric Region = new("region p50", "ms", 3);
    public static readonly Metric DistinctStep = new("step, distinct values", "µs/doc", 1);
    public static readonly Metric FewStep = new("step, few values", "µs/doc", 1);

    private const int RangeMatches = 9_000;
    private readonly SmallBodies _bodies = new();
    private string _distinct = "";
    private string _few = "";
    private long _added;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        IReadOnlyList<string> indexes = await Server.CreateSeparateIndexesAsync(
            ["from Entries where Number = -1 and Token = 'x' limit 0", "from Entries where State = 'x' and Region = 'x' limit 0"],
            cancel
        );
        (_distinct, _few) = (indexes[0], indexes[1]);
        context.Progress($"loading {documents:N0} documents");
        await Server.BulkInsertAsync(_bodies, 0, documents, cancel);
        await Server.RequireCountAsync(documents, cancel);
        context.Progress("indexing");
        await Server.EnableIndexAsync(_distinct, cancel);
        await Server.EnableIndexAsync(_few, cancel);
        await Server.WaitForIndexesAsync(cancel);
        await RequireAnswersAsync(cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        Sample sample = new Sample()
            .With(OneMatch, await MedianAsync("from Entries where Number = #N#", documents))
            .With(AbsentToken, await MedianAsync("from Entries where Token = '#N#'", documents))
            .With(Range, await MedianAsync("from Entries where Number between #N# and #M# limit 25", documents - RangeMatches))
            .With(Region, await MedianAsync("from Entries where Region = 'r#N#' limit 25", SmallBodies.Regions));
        await Server.DisableIndexAsync(_distinct, cancel);
        await Server.DisableIndexAsync(_few, cancel);
        await Server.BulkInsertAsync(_bodies, documents + _added, StepDocuments, cancel);
        _added += StepDocuments;
        // The flush of the distinct values goes on behind their step, and would be paid by a step that follows.
        double few = await StepAsync(_few, cancel);
        return sample.With(DistinctStep, await StepAsync(_distinct, cancel)).With(FewStep, few);

        async Task<double> MedianAsync(string query, long numbers)
        {
            var load = new QueryLoad(
                Server.Url + ServerUnderTest.QueryPath,
                JsonSerializer.Serialize(new { Query = query }),
                numbers,
                RangeMatches - 1
            );
            TimeSpan duration = context.Settings.Duration(3, 1);
            return (await load.RunAsync(connections: 1, duration, context.Round, context.Directory, cancel)).P50Ms;
        }
    }

    private async Task<double> StepAsync(string index, CancellationToken cancel)
    {
        var clock = Stopwatch.StartNew();
        await Server.EnableIndexAsync(index, cancel);
        await Server.WaitForIndexAsync(index, cancel);
        return clock.Elapsed.TotalMicroseconds / StepDocuments;
    }

    /// <summary>Nothing quick and wrong is measured.</summary>
    private async Task RequireAnswersAsync(CancellationToken cancel)
    {
        await RequireAsync("from Entries where Number = 17", 1);
        await RequireAsync($"from Entries where Number between 500 and {500 + RangeMatches - 1} limit 1", RangeMatches);
        await RequireAsync("from Entries where Token = '0000000000000000'", 1);

        async Task RequireAsync(string query, long expected)
        {
            JsonElement answer = await Server.QueryAsync(query, cancel);
            long total = answer.GetProperty("TotalResults").GetInt64();
            if (total != expected || answer.GetProperty("IsStale").GetBoolean())
                throw new IOException($"{query}: {total} matches where {expected} were expected, or a stale answer");
        }
    }
}
