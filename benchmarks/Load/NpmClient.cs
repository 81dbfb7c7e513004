using System.Globalization;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Peers;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.Load;

/// <summary>Runs the official npm client as a load generator (Npm/client.mjs).</summary>
internal static class NpmClient
{
    private const int Bodies = 1024;

    // A client that waits for an answer that never comes must not hold up the other contenders.
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(5);
    private static readonly string Folder = Path.Combine(Repository.Root, "benchmarks", "Npm");

    /// <summary>One document a session, a number of sessions at once.</summary>
    public static async Task<Sample> PutAsync(
        string url,
        string directory,
        int run,
        int sessions,
        TimeSpan duration,
        CancellationToken cancel
    )
    {
        double[] result = await RunAsync(
            "put",
            url,
            directory,
            run,
            [sessions.ToString(CultureInfo.InvariantCulture), duration.TotalSeconds.ToString(CultureInfo.InvariantCulture)],
            cancel
        );
        return new Sample()
            .With(Metric.Rate, result[0] / result[1])
            .With(Metric.P50, result[2])
            .With(Metric.P99, result[3])
            .With(Metric.P999, result[4])
            .With(Metric.Max, result[5]);
    }

    /// <summary>One bulk insert.</summary>
    public static async Task<Sample> BulkInsertAsync(string url, string directory, int run, long documents, CancellationToken cancel)
    {
        double[] result = await RunAsync("bulk", url, directory, run, [documents.ToString(CultureInfo.InvariantCulture)], cancel);
        return new Sample()
            .With(Metric.Rate, result[0] / result[1])
            .With(Metric.Throughput, documents * (double)DocumentBodies.Size / 1e6 / result[1])
            .With(Metric.Seconds, result[1]);
    }

    /// <exception cref="ContenderUnavailableException">Node or the package is not installed.</exception>
    public static void RequireInstalled()
    {
        if (Programs.Find("node") is null)
            throw new ContenderUnavailableException("node is missing");
        if (!Directory.Exists(Path.Combine(Folder, "node_modules", "ravendb")))
            throw new ContenderUnavailableException("the npm package ravendb is missing (npm install --prefix benchmarks/Npm)");
    }

    private static async Task<double[]> RunAsync(
        string mode,
        string url,
        string directory,
        int run,
        string[] amounts,
        CancellationToken cancel
    )
    {
        string bodies = Path.Combine(directory, "npm-bodies.txt");
        if (!File.Exists(bodies))
            await File.WriteAllLinesAsync(bodies, new DocumentBodies().Lines(Bodies), cancel);
        using var limited = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        limited.CancelAfter(Limit);
        string output = await Programs.RunAsync(
            Programs.Find("node")!,
            [
                Path.Combine(Folder, "client.mjs"),
                mode,
                url,
                ServerUnderTest.Database,
                bodies,
                run.ToString(CultureInfo.InvariantCulture),
                .. amounts,
            ],
            limited.Token
        );
        string? line = output.Split('\n').FirstOrDefault(l => l.StartsWith("RESULT ", StringComparison.Ordinal));
        return line is null
            ? throw new IOException("the npm client printed no result:\n" + output)
            : [.. line.Split(' ').Skip(1).Select(v => double.Parse(v, CultureInfo.InvariantCulture))];
    }
}
