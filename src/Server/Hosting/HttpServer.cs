using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Http;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Jackdaw.Server.Hosting;

/// <summary>Kestrel, started with our own dispatcher instead of the middleware pipeline, which would cost a third of the rate of
/// small reads.</summary>
internal sealed class HttpServer : IAsyncDisposable
{
    private static readonly TimeSpan ShutdownTimeout = TimeSpan.FromSeconds(5);

    private readonly WebApplication _application;
    private readonly IServer _kestrel;
    private readonly ServerConfiguration _configuration;

    public HttpServer(ServerConfiguration configuration, X509Certificate2? certificate)
    {
        _configuration = configuration;
        // Nothing by default: the usual configuration files would be watched for changes, and with them the data folder below.
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore();
        // A request goes on where its bytes arrived, on a thread of the pool, instead of hopping to another one for its handler
        // and again for its answer.
        // "Unsafe" is a handler that blocks: it would hold up its own connection, as it does in any case.
        builder.WebHost.UseSockets(options => options.UnsafePreferInlineScheduling = true);
        builder.Logging.SetMinimumLevel(configuration.LogLevel);
        builder.Logging.AddSimpleConsole(o => o.SingleLine = true);
        // Standard output belongs to the start-up contract.
        builder.Services.Configure<Microsoft.Extensions.Logging.Console.ConsoleLoggerOptions>(o =>
            o.LogToStandardErrorThreshold = LogLevel.Trace
        );
        if (certificate is not null)
            builder.WebHost.UseKestrelHttpsConfiguration();
        builder.WebHost.ConfigureKestrel(options => Configure(options, certificate));
        _application = builder.Build();
        _kestrel = _application.Services.GetRequiredService<IServer>();
        Logger = _application.Services.GetRequiredService<ILoggerFactory>().CreateLogger("Jackdaw");
    }

    public ILogger Logger { get; }

    /// <summary>Binds the port. Requests are answered from now on.</summary>
    /// <param name="dispatcher">Answers them.</param>
    /// <param name="bound">Told the address, with its real port, before the first request can be answered in full.</param>
    public async Task StartAsync(IHttpApplication<RequestContext> dispatcher, Action<string> bound)
    {
        await _kestrel.StartAsync(dispatcher, CancellationToken.None);
        bound(PublicUrl());
    }

    public async ValueTask DisposeAsync()
    {
        using var timeout = new CancellationTokenSource(ShutdownTimeout);
        await _kestrel.StopAsync(timeout.Token);
        await _application.DisposeAsync();
    }

    private void Configure(KestrelServerOptions options, X509Certificate2? certificate)
    {
        options.AddServerHeader = false;
        // Bodies are measured where they are read, so that the refusal can name the setting; bulk insert has no limit.
        options.Limits.MaxRequestBodySize = null;
        options.Limits.MaxConcurrentConnections = _configuration.MaxConnections;
        options.AllowSynchronousIO = false;
        var url = _configuration.ServerUrl;
        options.Listen(
            Address(url),
            url.Port,
            listen =>
            {
                listen.Protocols = HttpProtocols.Http1;
                if (certificate is not null)
                    listen.UseHttps(
                        certificate,
                        https =>
                        {
                            https.ClientCertificateMode = ClientCertificateMode.AllowCertificate;
                            // Judged request by request, so that a refusal is an answer that says why instead of a broken handshake.
                            https.AllowAnyClientCertificate();
                        }
                    );
            }
        );
    }

    private static IPAddress Address(Uri url)
    {
        var host = url.Host.Trim('[', ']');
        if (IPAddress.TryParse(host, out var address))
            return address;
        if (host.Equals("localhost", StringComparison.OrdinalIgnoreCase))
            return IPAddress.Loopback;
        try
        {
            return Dns.GetHostAddresses(host).FirstOrDefault()
                ?? throw new ConfigurationException($"The host of {KnownSettings.ServerUrl}, '{host}', has no address.");
        }
        catch (SocketException e)
        {
            throw new ConfigurationException($"The host of {KnownSettings.ServerUrl}, '{host}', cannot be resolved: {e.Message}", e);
        }
    }

    private string PublicUrl()
    {
        if (_configuration.PublicServerUrl is { } told)
            return told.GetLeftPart(UriPartial.Authority);
        var bound = new Uri(_kestrel.Features.Get<IServerAddressesFeature>()!.Addresses.First());
        var host = _configuration.ServerUrl.Host is "0.0.0.0" or "[::]" ? Dns.GetHostName() : _configuration.ServerUrl.Host;
        return $"{_configuration.ServerUrl.Scheme}://{host}:{bound.Port}";
    }
}
