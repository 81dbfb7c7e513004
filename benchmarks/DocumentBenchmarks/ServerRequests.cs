using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>The server under GETs or PUTs by the built-in generator, over TLS or plain.</summary>
internal sealed class ServerRequests(
    HttpLoadKind kind,
    bool isSecured,
    int connections,
    long documents,
    double fullSeconds,
    double quickSeconds
) : Contender(isSecured ? OverTls : Plain)
{
    public const string OverTls = "jackdaw over TLS",
        Plain = "jackdaw over http";
    private ServerUnderTest? _server;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        string data = Path.Combine(context.Directory, "data");
        _server = isSecured
            ? await ServerUnderTest.StartNewOverTlsAsync(
                data,
                BenchCertificate.Write(context.Directory),
                BenchCertificate.Certificate,
                cancel
            )
            : await ServerUnderTest.StartNewAsync(data, cancel);
        if (kind == HttpLoadKind.GetRandom)
            await _server.BulkInsertAsync(0, documents, cancel);
        await MeasureAsync(context, context.Settings.Duration(5, 1), run: -1, cancel);
    }

    public override Task<Sample> RunAsync(RunContext context, CancellationToken cancel) =>
        MeasureAsync(context, context.Settings.Duration(fullSeconds, quickSeconds), context.Round, cancel);

    public override async Task CloseAsync()
    {
        if (_server is not null)
            await _server.DisposeAsync();
    }

    private async Task<Sample> MeasureAsync(RunContext context, TimeSpan duration, int run, CancellationToken cancel)
    {
        var cpu = new CpuMeter(_server!.ProcessId);
        var load = new HttpLoad(_server.Url, ServerUnderTest.Database, kind, connections, duration, run, documents)
        {
            Certificate = isSecured ? BenchCertificate.Context : null,
        };
        HttpLoadResult result = await SocketLoad.RunAsync(load, cancel);
        return result.ToSample().With(Metric.Cpu, cpu.MicrosecondsPer(result.Requests));
    }
}
