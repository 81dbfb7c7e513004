using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Jackdaw.Bench.Peers;

/// <summary>Kestrel with one handler and nothing else: no routing, no logging. Ends when standard input closes.</summary>
internal static class PeerHost
{
    public static async Task RunAsync(int port, RequestDelegate handler, CancellationToken cancel)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls($"http://127.0.0.1:{port}");
        await using WebApplication app = builder.Build();
        app.Run(handler);
        await app.StartAsync(cancel);
        Console.WriteLine("Server available on: " + app.Urls.First());
        Console.Out.Flush();
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancel, app.Lifetime.ApplicationStopping);
        await Console.In.ReadLineAsync(ended.Token).AsTask().ContinueWith(_ => { }, CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        await app.StopAsync(CancellationToken.None);
    }
}
