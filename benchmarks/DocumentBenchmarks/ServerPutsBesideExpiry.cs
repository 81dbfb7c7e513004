using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>PUTs beside documents that all have expired: they go, or expiration is disabled and they stay.</summary>
internal sealed class ServerPutsBesideExpiry(
    string name,
    bool expires,
    Func<RunSettings, long> documents,
    int connections,
    double fullSeconds,
    double quickSeconds
) : ServerContender(name)
{
    public const string WithExpiry = Jackdaw + ", documents expire";
    public const string Alone = Jackdaw + ", they stay";

    private static readonly Metric s_expired = new("expired", "/s");
    private static readonly Metric s_left = new("left", "");

    private readonly DatedBodies _bodies = new();

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        await MeasureAsync(context, context.Settings.Duration(5, 1), cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        long count = documents(context.Settings);
        await Server.RecreateDatabaseAsync(cancel);
        context.Progress($"loading {count:N0} documents");
        await Server.BulkInsertAsync(_bodies, 0, count, cancel);
        await Server.RequireCountAsync(count, cancel);
        await Server.ConfigureExpirationAsync(isDisabled: !expires, cancel);
        HttpLoadResult puts = await MeasureAsync(context, context.Settings.Duration(fullSeconds, quickSeconds), cancel);
        long left = await Server.CountWaitingToExpireAsync(cancel);
        Sample sample = puts.ToSample();
        if (!expires)
        {
            if (left != count)
                throw new IOException($"of {count} documents that were to stay {left} are there");
            return sample;
        }
        TimeSpan duration = context.Settings.Duration(fullSeconds, quickSeconds);
        return sample.With(s_expired, (count - left) / duration.TotalSeconds).With(s_left, left);
    }

    private Task<HttpLoadResult> MeasureAsync(RunContext context, TimeSpan duration, CancellationToken cancel) =>
        SendAsync(context, HttpLoadKind.PutDistinct, connections, duration, context.Round, documents: 0, cancel);
}
