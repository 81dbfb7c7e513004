using System.Text.Json.Nodes;
using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>A loaded server under PUTs, with or without a task that is far behind.</summary>
internal sealed class ServerPutsBesideTask(
    string name,
    long documents,
    bool hasTask,
    int connections,
    double fullSeconds,
    double quickSeconds
) : ServerContender(name)
{
    public const string WithTask = Jackdaw + ", a task lags";
    public const string Alone = Jackdaw + ", no task";

    private SlowEndpoint? _endpoint;
    private long _task;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        await LoadAsync(context, documents, cancel);
        if (hasTask)
        {
            _endpoint = new SlowEndpoint();
            await Server.PutConnectionAsync(
                new JsonObject
                {
                    ["Type"] = "Queue",
                    ["Name"] = "slow",
                    ["BrokerType"] = "None",
                    ["WebhookConnectionSettings"] = new JsonObject { ["Url"] = _endpoint.Url },
                },
                cancel
            );
            _task = await Server.PutTaskAsync(
                EtlTaskBody.Define("slow", "slow", "None", "loadToSlow(this);", DocumentBodies.Collection),
                cancel
            );
        }
        await SendAsync(
            context,
            HttpLoadKind.PutDistinct,
            connections,
            context.Settings.Duration(5, 1),
            context.Round,
            documents: 0,
            cancel
        );
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        var cpu = new CpuMeter(Server.ProcessId);
        HttpLoadResult result = await SendAsync(
            context,
            HttpLoadKind.PutDistinct,
            connections,
            context.Settings.Duration(fullSeconds, quickSeconds),
            context.Round,
            documents: 0,
            cancel
        );
        Sample sample = result.ToSample().With(Metric.Cpu, cpu.MicrosecondsPer(result.Requests));
        if (!hasTask)
            return sample;
        long behind = await Server.EtagsBehindAsync(_task, cancel);
        if (behind < documents / 2)
            throw new IOException($"the task is {behind} documents behind: its endpoint is not slow enough");
        return sample.With(Metric.Behind, behind);
    }

    public override async Task CloseAsync()
    {
        await base.CloseAsync();
        if (_endpoint is not null)
            await _endpoint.DisposeAsync();
        _endpoint = null;
    }
}
