using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>The bare Kestrel endpoint under the same GETs by the built-in generator, over TLS or plain: what TLS itself takes.</summary>
internal sealed class KestrelRequests(bool isSecured, int connections, long documents, double fullSeconds, double quickSeconds)
    : PeerContender(isSecured ? OverTls : Plain)
{
    public const string OverTls = "bare kestrel over TLS",
        Plain = "bare kestrel over http";

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        string body = Path.Combine(context.Directory, "answer.json");
        await File.WriteAllBytesAsync(body, new AnswerBytes().Bytes, cancel);
        string[] secured = isSecured ? ["--certificate", BenchCertificate.Write(context.Directory)] : [];
        await StartAsync(cancel, ["kestrel", "--body", body, .. secured]);
        await MeasureAsync(context.Settings.Duration(5, 1), run: -1, cancel);
    }

    public override Task<Sample> RunAsync(RunContext context, CancellationToken cancel) =>
        MeasureAsync(context.Settings.Duration(fullSeconds, quickSeconds), context.Round, cancel);

    private async Task<Sample> MeasureAsync(TimeSpan duration, int run, CancellationToken cancel)
    {
        var cpu = new CpuMeter(ProcessId);
        var load = new HttpLoad(Url, UnderTest.ServerUnderTest.Database, HttpLoadKind.GetRandom, connections, duration, run, documents)
        {
            Certificate = isSecured ? BenchCertificate.Context : null,
        };
        HttpLoadResult result = await SocketLoad.RunAsync(load, cancel);
        return result.ToSample().With(Metric.Cpu, cpu.MicrosecondsPer(result.Requests));
    }
}
