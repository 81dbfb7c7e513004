using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Jackdaw.Bench.Peers;

/// <summary>Kestrel with one handler and nothing else: no routing, no logging. Ends on SIGTERM or when standard input closes.</summary>
internal static class PeerHost
{
    public static async Task RunAsync(int port, RequestDelegate handler, CancellationToken cancel, string? certificate = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls($"{(certificate is null ? "http" : "https")}://127.0.0.1:{port}");
        if (certificate is not null)
        {
            builder.WebHost.UseKestrelHttpsConfiguration();
            builder.WebHost.ConfigureKestrel(options =>
                options.ConfigureHttpsDefaults(https =>
                {
                    https.ServerCertificate = X509CertificateLoader.LoadPkcs12FromFile(certificate, null);
                    https.ClientCertificateMode = ClientCertificateMode.AllowCertificate;
                    https.AllowAnyClientCertificate();
                })
            );
        }
        await using WebApplication app = builder.Build();
        app.Run(handler);
        await app.StartAsync(cancel);
        // A read of standard input cannot be cancelled, so it waits on a thread that ends with the process.
        var parent = new Thread(() => WaitForEndOfInput(app)) { Name = "end of input", IsBackground = true };
        parent.Start();
        Console.WriteLine("Server available on: " + app.Urls.First());
        Console.Out.Flush();
        await app.WaitForShutdownAsync(cancel);
    }

    private static void WaitForEndOfInput(WebApplication app)
    {
        using Stream input = Console.OpenStandardInput();
        while (input.ReadByte() >= 0) { }
        app.Lifetime.StopApplication();
    }
}
