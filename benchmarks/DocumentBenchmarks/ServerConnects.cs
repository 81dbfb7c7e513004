using Jackdaw.Bench.Frame;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>The server under clients that connect, ask once and leave.</summary>
internal sealed class ServerConnects() : Contender(ServerContender.Jackdaw)
{
    private ServerUnderTest? _server;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        _server = await ServerUnderTest.StartNewOverTlsAsync(
            Path.Combine(context.Directory, "data"),
            BenchCertificate.Write(context.Directory),
            BenchCertificate.Certificate,
            cancel
        );
        await MeasureAsync(context.Settings.Duration(5, 1), cancel);
    }

    public override Task<Sample> RunAsync(RunContext context, CancellationToken cancel) =>
        MeasureAsync(context.Settings.Duration(TlsConnects.FullSeconds, TlsConnects.QuickSeconds), cancel);

    public override async Task CloseAsync()
    {
        if (_server is not null)
            await _server.DisposeAsync();
    }

    private Task<Sample> MeasureAsync(TimeSpan duration, CancellationToken cancel) =>
        TlsConnects.MeasureAsync(_server!.Url, _server.ProcessId, duration, cancel);
}
