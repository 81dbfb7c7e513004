using System.Diagnostics;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>A broker's own client in a loop: messages of the same size with the same attributes as the server's task sends. It
/// runs in this process, which does nothing else then.</summary>
internal abstract class RawSender<TBroker>(string name, TBroker broker, long documents) : Contender(name)
    where TBroker : ISharedBroker
{
    private bool _isStarted;

    protected TBroker Broker { get; } = broker;

    protected long Documents { get; } = documents;

    protected DocumentBodies Bodies { get; } = new();

    public sealed override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await Broker.StartAsync();
        _isStarted = true;
        // What is compiled on the way is not measured.
        await RunAsync(context, cancel);
    }

    public sealed override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        string target = $"bench-raw-{context.Round}";
        await DeclareAsync(target, cancel);
        // Without those of the brokers and servers that this process has started.
        TimeSpan before = Environment.CpuUsage.TotalTime;
        var clock = Stopwatch.StartNew();
        await SendAsync(target, cancel);
        double seconds = clock.Elapsed.TotalSeconds;
        double cpuMicroseconds = (Environment.CpuUsage.TotalTime - before).TotalMicroseconds / Documents;
        await Broker.RequireAndRemoveAsync(target, Documents, cancel);
        return new Sample().With(Metric.Rate, Documents / seconds).With(Metric.Seconds, seconds).With(Metric.Cpu, cpuMicroseconds);
    }

    public sealed override async Task CloseAsync()
    {
        if (_isStarted)
            await Broker.LetGoAsync();
        _isStarted = false;
    }

    /// <summary>Makes what a client would find there. Not measured.</summary>
    protected virtual Task DeclareAsync(string target, CancellationToken cancel) => Task.CompletedTask;

    /// <summary>Sends all documents, until the broker has confirmed the last.</summary>
    protected abstract Task SendAsync(string target, CancellationToken cancel);
}
