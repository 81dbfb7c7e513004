using System.Diagnostics;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>Load, kill -9, start again on the same folder; and every acknowledged document must be there.</summary>
internal sealed class ServerRestart(double fullSeconds, double quickSeconds) : ServerContender(Jackdaw)
{
    private static readonly Metric Behind = new("journal files", "MB");

    public override Task PrepareAsync(RunContext context, CancellationToken cancel) => StartNewAsync(context, cancel);

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        long before = await Server.CountDocumentsAsync(cancel);
        // Killed while the second half of the load is being sent; only the first half's answers are known to have arrived.
        TimeSpan half = context.Settings.Duration(fullSeconds, quickSeconds) / 2;
        HttpLoadResult acknowledged = await SendAsync(
            context,
            HttpLoadKind.PutDistinct,
            connections: 64,
            half,
            2 * context.Round,
            0,
            cancel
        );
        Task<HttpLoadResult> interrupted = SendAsync(
            context,
            HttpLoadKind.PutDistinct,
            connections: 64,
            half,
            2 * context.Round + 1,
            0,
            cancel
        );
        await Task.Delay(half * 0.8, cancel);
        await Server.KillAsync();
        await ExpectFailureAsync(interrupted);
        long journalBytes = JournalBytes(DataDirectory(context));

        var clock = Stopwatch.StartNew();
        await RestartAsync(context, cancel);
        long after = await Server.CountDocumentsAsync(cancel);
        double seconds = clock.Elapsed.TotalSeconds;
        if (after < before + acknowledged.Requests)
            throw new IOException($"{before + acknowledged.Requests} documents were acknowledged and {after} are there after the restart");
        return new Sample().With(Metric.Seconds, seconds).With(Metric.Documents, after).With(Behind, journalBytes / 1e6);
    }

    private static long JournalBytes(string data) =>
        new DirectoryInfo(data)
            .EnumerateFiles("*", SearchOption.AllDirectories)
            .Where(f => f.Directory!.Name == "journal")
            .Sum(f => f.Length);

    private static async Task ExpectFailureAsync(Task<HttpLoadResult> load)
    {
        try
        {
            await load;
        }
        catch (IOException)
        {
            return; // the server was killed under it
        }
        throw new IOException("the load ended before the server was killed");
    }
}
