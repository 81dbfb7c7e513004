using System.Diagnostics;
using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>The server with a task from the first document on, a new one each run, until its position has passed the last one.</summary>
/// <param name="broker">Where to.</param>
/// <param name="documents">Of a run.</param>
/// <param name="script">With TARGET in the place of the target.</param>
internal sealed class ServerToBroker(ISharedBroker broker, long documents, string script = ServerToBroker.Script) : ServerContender(Jackdaw)
{
    /// <summary>Leaves the size of the message as it is, about.</summary>
    public const string Script =
        "loadTo('TARGET', { Number: this.Number, Name: this.Name, Price: this.Price, "
        + "Taxed: this.Price * 1.25, Tags: this.Tags, Token: this.Token, Text: this.Text });";

    private bool _isStarted;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        await broker.StartAsync();
        _isStarted = true;
        await LoadAsync(context, documents, cancel);
        await Server.PutConnectionAsync(broker.Connection, cancel);
        // What is compiled on the way is not measured.
        await RunAsync(context, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        string target = $"bench-task-{context.Round}";
        var cpu = new CpuMeter(Server.ProcessId);
        var clock = Stopwatch.StartNew();
        long task = await Server.PutTaskAsync(
            EtlTaskBody.Define(
                $"to {target}",
                broker.Connection,
                script.Replace("TARGET", target, StringComparison.Ordinal),
                DocumentBodies.Collection
            ),
            cancel
        );
        await Server.WaitForMessagesAsync(task, documents, cancel);
        double seconds = clock.Elapsed.TotalSeconds;
        Sample sample = new Sample()
            .With(Metric.Rate, documents / seconds)
            .With(Metric.Seconds, seconds)
            .With(Metric.Cpu, cpu.MicrosecondsPer(documents));
        await Server.DeleteTaskAsync(task, cancel);
        await broker.RequireAndRemoveAsync(target, documents, cancel);
        return sample;
    }

    public override async Task CloseAsync()
    {
        await base.CloseAsync();
        if (_isStarted)
            await broker.LetGoAsync();
        _isStarted = false;
    }
}
