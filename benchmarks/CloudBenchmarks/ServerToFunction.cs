using System.Diagnostics;
using System.Globalization;
using System.Text;
using Jackdaw.Bench.EtlBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Measurement;
using Jackdaw.FunctionHost;

namespace Jackdaw.Bench.CloudBenchmarks;

/// <summary>An order now and then, and the line of the host that says that its function has run.</summary>
internal sealed class ServerToFunction(SharedAzurite azurite, int documents) : CloudContender(azurite)
{
    /// <summary>Between the end of a function and the next order: the system is at rest again.</summary>
    public static readonly TimeSpan Gap = TimeSpan.FromMilliseconds(50);

    /// <summary>The host's pause between looks at the queue.</summary>
    public static readonly TimeSpan Look = TimeSpan.FromMilliseconds(1);

    private static readonly TimeSpan Lost = TimeSpan.FromSeconds(30);

    private readonly SharedAzurite _azurite = azurite;
    private readonly SemaphoreSlim _executed = new(0);
    private HttpClient? _client;
    private long _next;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartWithReadModelAsync(context, cancel);
        _client = new HttpClient();
        await Server.PutConnectionAsync(_azurite.Connection, cancel);
        await Server.PutTaskAsync(
            EtlTaskBody.Define("orders", "azure", "AzureQueueStorage", $"loadTo('{Queue}', this);", "Orders"),
            cancel
        );
        await StartFunctionAsync("FromQueue", "Queues", _azurite.ConnectionString, new HostOptions { Look = Look });
        Host.Said += line =>
        {
            if (line.StartsWith("Executed 'Functions.OrdersFromQueue' (Succeeded", StringComparison.Ordinal))
                _executed.Release();
        };
        // What is compiled on the way is not measured.
        await RunAsync(context, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        var latencies = new LatencyHistogram();
        for (int i = 0; i < documents; i++)
        {
            await Task.Delay(Gap, cancel);
            await PutAsync(cancel);
            long acknowledged = Stopwatch.GetTimestamp();
            if (!await _executed.WaitAsync(Lost, cancel))
                throw new IOException($"no function ran for order {_next - 1}; the host: {Host.Output}");
            latencies.RecordSince(acknowledged);
        }
        return new Sample().With(latencies);
    }

    public override async Task CloseAsync()
    {
        await base.CloseAsync();
        _client?.Dispose();
        _client = null;
    }

    private async Task PutAsync(CancellationToken cancel)
    {
        long n = _next++;
        using var content = new StringContent(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{{\"Company\":\"companies/{n}\",\"Lines\":[{{\"PricePerUnit\":2.5,\"Quantity\":4}}],\"@metadata\":{{\"@collection\":\"Orders\"}}}}"
            ),
            Encoding.UTF8,
            "application/json"
        );
        using HttpResponseMessage answer = await _client!.PutAsync($"{Server.Url}/databases/bench/docs?id=orders/{n}", content, cancel);
        answer.EnsureSuccessStatusCode();
    }
}
