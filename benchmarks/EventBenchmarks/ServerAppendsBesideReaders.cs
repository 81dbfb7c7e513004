using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.EventBenchmarks;

/// <summary>The server under appends while live reads are open.</summary>
/// <param name="name">The row's title.</param>
/// <param name="readers">How many.</param>
/// <param name="isFollowing">True: of streams that are appended to; false: of others.</param>
/// <param name="connections">Of the writers.</param>
/// <param name="fullSeconds">Length of a run.</param>
/// <param name="quickSeconds">Length of a run in quick mode.</param>
internal sealed class ServerAppendsBesideReaders(
    string name,
    int readers,
    bool isFollowing,
    int connections,
    double fullSeconds,
    double quickSeconds
) : ServerAppends(name, connections, EventsOfAGroup, fullSeconds, quickSeconds)
{
    private const int EventsOfAGroup = 10;
    private static readonly Metric s_delivered = new("delivered", "/s");
    private readonly double _fullSeconds = fullSeconds;
    private readonly double _quickSeconds = quickSeconds;

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        TimeSpan duration = context.Settings.Duration(_fullSeconds, _quickSeconds);
        if (readers == 0)
            return await MeasureAsync(context, duration, cancel);
        context.Progress($"opening {readers:N0} live reads");
        IEnumerable<string> streams = isFollowing
            ? Load(context.Round).StreamIds(readers)
            : Enumerable.Range(0, readers).Select(i => $"other-{i}");
        await using var open = new OpenLiveReads(Server);
        await open.StartAsync(streams, cancel);
        Sample sample = await MeasureAsync(context, duration, cancel);
        long events = open.Events;
        open.RequireAllOpen();
        if (isFollowing && events == 0)
            throw new IOException("no event came to the readers of the streams that were written");
        return sample.With(s_delivered, events / duration.TotalSeconds);
    }
}
