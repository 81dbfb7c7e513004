using System.Text;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>A bare Kestrel endpoint with the same certificates, which asks for the client's and accepts any, under the same
/// clients.</summary>
internal sealed class KestrelConnects() : PeerContender(KestrelGets.RowName)
{
    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        string body = Path.Combine(context.Directory, "answer.json");
        await File.WriteAllBytesAsync(body, Encoding.UTF8.GetBytes("{}"), cancel);
        await StartAsync(cancel, "kestrel", "--body", body, "--certificate", BenchCertificate.Write(context.Directory));
        await MeasureAsync(context.Settings.Duration(5, 1), cancel);
    }

    public override Task<Sample> RunAsync(RunContext context, CancellationToken cancel) =>
        MeasureAsync(context.Settings.Duration(TlsConnects.FullSeconds, TlsConnects.QuickSeconds), cancel);

    private Task<Sample> MeasureAsync(TimeSpan duration, CancellationToken cancel) =>
        TlsConnects.MeasureAsync(Url, ProcessId, duration, cancel);
}
