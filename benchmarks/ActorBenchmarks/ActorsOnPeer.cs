using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.ActorBenchmarks;

/// <summary>Actors whose journal is in their own process.</summary>
/// <param name="name">The row's title.</param>
/// <param name="journal">As the program names it.</param>
/// <param name="row">What it measures.</param>
/// <param name="events">At once.</param>
/// <param name="duration">Of a run.</param>
internal sealed class ActorsOnPeer(string name, string journal, string row, int events, TimeSpan duration) : Contender(name)
{
    private static readonly TimeSpan s_warmUp = TimeSpan.FromSeconds(2);
    private ActorsProcess? _actors;

    /// <summary>The rate, and the latency where there is one.</summary>
    public static Sample ToSample(ActorsResult result)
    {
        Sample sample = new Sample().With(Metric.Rate, result.Events / result.Seconds);
        return result.P50Ms > 0 ? sample.With(Metric.P50, result.P50Ms) : sample;
    }

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        _actors = await ActorsProcess.StartAsync([journal, context.Directory], cancel);
        await _actors.RunAsync(row, context.Settings.Pick(s_warmUp, s_warmUp / 4), events, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel) =>
        ToSample(await _actors!.RunAsync(row, duration, events, cancel));

    public override async Task CloseAsync()
    {
        if (_actors is not null)
            await _actors.DisposeAsync();
        _actors = null;
    }
}
