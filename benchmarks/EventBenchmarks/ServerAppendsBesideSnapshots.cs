using System.Diagnostics;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.EventBenchmarks;

/// <summary>The server under appends while one snapshot after another is uploaded in place of the one before.</summary>
internal sealed class ServerAppendsBesideSnapshots(string name, int connections, int snapshotBytes, double fullSeconds, double quickSeconds)
    : ServerAppends(name, connections, eventsOfAGroup: 1, fullSeconds, quickSeconds)
{
    private static readonly Metric s_uploads = new("snapshots", "");
    private static readonly Metric s_uploadTime = new("a snapshot", "s", 2);
    private byte[] _snapshot = [];

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        // Nothing that the journal could compress.
        _snapshot = new byte[snapshotBytes];
        new Random(1).NextBytes(_snapshot);
        await base.PrepareAsync(context, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        using var enough = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        var clock = Stopwatch.StartNew();
        Task<int> uploading = UploadAsync(enough.Token, cancel);
        Sample sample = await base.RunAsync(context, cancel);
        await enough.CancelAsync();
        int uploads = await uploading;
        return sample.With(s_uploads, uploads).With(s_uploadTime, clock.Elapsed.TotalSeconds / uploads);
    }

    /// <summary>Uploads until it is enough, each to its end; returns how many.</summary>
    private async Task<int> UploadAsync(CancellationToken enough, CancellationToken cancel)
    {
        int uploads = 0;
        do
        {
            using var content = new ByteArrayContent(_snapshot);
            await Server.PutSnapshotAsync(content, cancel);
            uploads++;
        } while (!enough.IsCancellationRequested);
        return uploads;
    }
}
