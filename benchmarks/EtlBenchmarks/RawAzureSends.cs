using System.Text;
using Azure.Storage.Queues;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;
using Jackdaw.Brokers;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>A loop over Azure's client, with its own options, that sends events of the same size from memory. It runs in this process, which does nothing else then.</summary>
internal sealed class RawAzureSends(int messages) : Contender(RowName)
{
    public const string RowName = "raw sending loop";
    private const int Concurrency = 16;

    private readonly DocumentBodies _bodies = new();
    private AzuriteBroker? _azurite;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        _azurite = await AzureEmulator.StartAsync();
        // What is compiled on the way is not measured.
        await RunAsync(context, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        var queue = new QueueClient(_azurite!.ConnectionString, $"raw-{context.Round}", new QueueClientOptions { MessageEncoding = QueueMessageEncoding.Base64 });
        await queue.CreateAsync(cancellationToken: cancel);
        // As long as ours: attributes, and the document without its metadata.
        byte[][] events = [.. Enumerable.Range(0, messages).Select(i => Event(i))];
        TimeSpan before = Environment.CpuUsage.TotalTime;
        long started = Environment.TickCount64;
        int next = -1;
        await Task.WhenAll(Enumerable.Range(0, Concurrency).Select(async _ =>
        {
            for (int i = Interlocked.Increment(ref next); i < messages; i = Interlocked.Increment(ref next))
                await queue.SendMessageAsync(new BinaryData(events[i]), timeToLive: TimeSpan.FromSeconds(-1), cancellationToken: cancel);
        }));
        Sample sample = new Sample()
            .With(Metric.Rate, messages * 1000.0 / Math.Max(1, Environment.TickCount64 - started))
            .With(Metric.Cpu, (Environment.CpuUsage.TotalTime - before).TotalMicroseconds / messages);
        await queue.DeleteAsync(cancel);
        return sample;
    }

    public override async Task CloseAsync()
    {
        if (_azurite is not null)
            await _azurite.DisposeAsync();
    }

    private byte[] Event(int i) => Encoding.UTF8.GetBytes(
        $$"""{"specversion":"1.0","id":"A:{{i}}-0123456789abcdefghijkl","source":"urn:jackdaw:00000000-0000-0000-0000-000000000000:azure","type":"ravendb.etl.put","subject":"items/{{i}}","time":"2030-01-01T00:00:00.0000000Z","partitionkey":"items/{{i}}","etag":"{{i}}","attempt":1,"target":"raw-1","datacontenttype":"application/json","data":{{Encoding.UTF8.GetString(_bodies.Create(i))}}}""");
}
