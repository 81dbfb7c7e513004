using System.Diagnostics;
using System.Text.Json.Nodes;
using Azure.Storage.Queues;
using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;
using Jackdaw.Brokers;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>The server with a task from the first document on, a new one each run.</summary>
internal sealed class ServerToAzure(int documents) : ServerContender(Jackdaw)
{
    private AzuriteBroker? _azurite;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        // Starting closes what was there before.
        _azurite = await AzureEmulator.StartAsync();
        await LoadAsync(context, documents, cancel);
        await Server.PutConnectionAsync(new JsonObject
        {
            ["Type"] = "Queue",
            ["Name"] = "azure",
            ["BrokerType"] = "AzureQueueStorage",
            ["AzureQueueStorageConnectionSettings"] = new JsonObject { ["ConnectionString"] = _azurite.ConnectionString },
        }, cancel);
        // What is compiled on the way is not measured.
        await RunAsync(context, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        string queue = $"ours-{context.Round}";
        var cpu = new CpuMeter(Server.ProcessId);
        long started = Stopwatch.GetTimestamp();
        long task = await Server.PutTaskAsync(EtlTaskBody.Define($"to {queue}", "azure", "AzureQueueStorage", $"loadTo('{queue}', this);", DocumentBodies.Collection), cancel);
        await Server.WaitForMessagesAsync(task, documents, cancel);
        Sample sample = new Sample()
            .With(Metric.Rate, documents / Stopwatch.GetElapsedTime(started).TotalSeconds)
            .With(Metric.Cpu, cpu.MicrosecondsPer(documents));
        await Server.DeleteTaskAsync(task, cancel);
        var client = new QueueClient(_azurite!.ConnectionString, queue);
        int there = (await client.GetPropertiesAsync(cancel)).Value.ApproximateMessagesCount;
        if (there != documents)
            throw new IOException($"the task says that it sent {documents} messages, and the queue has {there}");
        await client.DeleteAsync(cancel);
        return sample;
    }

    public override async Task CloseAsync()
    {
        await base.CloseAsync();
        if (_azurite is not null)
            await _azurite.DisposeAsync();
        _azurite = null;
    }
}
