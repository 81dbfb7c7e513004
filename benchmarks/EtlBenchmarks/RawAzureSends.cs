using System.Text;
using Azure.Storage.Queues;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>A loop over Azure's client, with its own options, that sends events of the same size from memory.</summary>
internal sealed class RawAzureSends(SharedAzurite azurite, long documents) : RawSender<SharedAzurite>(RowName, azurite, documents)
{
    public const string RowName = "raw sending loop";
    private const int Concurrency = 16;

    private QueueClient? _queue;
    private byte[][] _events = [];

    protected override async Task DeclareAsync(string target, CancellationToken cancel)
    {
        _queue = new QueueClient(Broker.ConnectionString, target, new QueueClientOptions { MessageEncoding = QueueMessageEncoding.Base64 });
        await _queue.CreateAsync(cancellationToken: cancel);
        // As long as ours: attributes, and the document without its metadata.
        _events = [.. Enumerable.Range(0, (int)Documents).Select(Event)];
    }

    protected override async Task SendAsync(string target, CancellationToken cancel)
    {
        int next = -1;
        await Task.WhenAll(
            Enumerable
                .Range(0, Concurrency)
                .Select(async _ =>
                {
                    for (int i = Interlocked.Increment(ref next); i < _events.Length; i = Interlocked.Increment(ref next))
                        await _queue!.SendMessageAsync(
                            new BinaryData(_events[i]),
                            timeToLive: TimeSpan.FromSeconds(-1),
                            cancellationToken: cancel
                        );
                })
        );
    }

    private byte[] Event(int i) =>
        Encoding.UTF8.GetBytes(
            $$"""{"specversion":"1.0","id":"A:{{i}}-0123456789abcdefghijkl","source":"urn:jackdaw:00000000-0000-0000-0000-000000000000:azure","type":"ravendb.etl.put","subject":"items/{{i}}","time":"2030-01-01T00:00:00.0000000Z","partitionkey":"items/{{i}}","etag":"{{i}}","attempt":1,"target":"raw-1","datacontenttype":"application/json","data":{{Encoding.UTF8.GetString(Bodies.Create(i))}}}"""
        );
}
