using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>An HTTP endpoint in this process that takes everything and its time.</summary>
internal sealed class SlowEndpoint : IAsyncDisposable
{
    /// <summary>Of each answer.</summary>
    public static readonly TimeSpan Delay = TimeSpan.FromMilliseconds(200);

    private readonly WebApplication _app;

    public SlowEndpoint()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        _app = builder.Build();
        _app.Run(async context =>
        {
            await Task.Delay(Delay);
            context.Response.StatusCode = StatusCodes.Status204NoContent;
        });
        _app.Start();
    }

    public string Url => _app.Urls.First();

    public async ValueTask DisposeAsync()
    {
        await _app.StopAsync();
        await _app.DisposeAsync();
    }
}
