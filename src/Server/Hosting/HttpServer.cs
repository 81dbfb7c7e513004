using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Http;
using Jackdaw.Server.Http.Upgrading;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Tls;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Jackdaw.Server.Hosting;

/// <summary>Kestrel, started with our own dispatcher instead of the middleware pipeline, which would cost a third of the rate of
/// small reads.</summary>
internal sealed class HttpServer : IAsyncDisposable
{
    private const string AuditCategory = "Jackdaw.Audit";

    private static readonly TimeSpan ShutdownTimeout = TimeSpan.FromSeconds(5);

    private readonly WebApplication _application;
    private readonly IServer _kestrel;
    private readonly ServerConfiguration _configuration;
    private readonly ServerCertificate? _certificate;
    private readonly AccessGate _gate;
    private readonly TlsConnections _connections;

    /// <param name="configuration">Its addresses and limits.</param>
    /// <param name="certificate">The server's; null for plain http.</param>
    /// <param name="gate">Knows who may enter.</param>
    /// <param name="clock">Measures how long clients may take that nobody has let in yet.</param>
    public HttpServer(ServerConfiguration configuration, ServerCertificate? certificate, AccessGate gate, TimeProvider? clock = null)
    {
        _configuration = configuration;
        _certificate = certificate;
        _gate = gate;
        _connections = new TlsConnections(TlsLimits.Of(configuration), clock);
        // Nothing by default: the usual configuration files would be watched for changes, and with them the data folder below.
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore();
        // A request goes on where its bytes arrived, on a thread of the pool, instead of hopping to another one for its handler
        // and again for its answer.
        // "Unsafe" is a handler that blocks: it would hold up its own connection, as it does in any case.
        builder.WebHost.UseSockets(options => options.UnsafePreferInlineScheduling = true);
        builder.Logging.SetMinimumLevel(configuration.LogLevel);
        // Of a server with certificates everybody wants to know who did what; one on a developer's machine has one client.
        if (certificate is not null)
            builder.Logging.AddFilter(AuditCategory, LogLevel.Information);
        builder.Logging.AddSimpleConsole(o => o.SingleLine = true);
        // Standard output belongs to the start-up contract.
        builder.Services.Configure<Microsoft.Extensions.Logging.Console.ConsoleLoggerOptions>(o =>
            o.LogToStandardErrorThreshold = LogLevel.Trace
        );
        if (certificate is not null)
            builder.WebHost.UseKestrelHttpsConfiguration();
        builder.WebHost.ConfigureKestrel(Configure);
        _application = builder.Build();
        _kestrel = _application.Services.GetRequiredService<IServer>();
        Logger = _application.Services.GetRequiredService<ILoggerFactory>().CreateLogger("Jackdaw");
        AuditLogger = _application.Services.GetRequiredService<ILoggerFactory>().CreateLogger(AuditCategory);
    }

    public ILogger Logger { get; }

    /// <summary>For the lines of the audit log.</summary>
    public ILogger AuditLogger { get; }

    /// <summary>Connections of clients that nobody has let in yet; none without a certificate.</summary>
    public TlsConnections Connections => _connections;

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
        _connections.Dispose();
    }

    private void Configure(KestrelServerOptions options)
    {
        options.AddServerHeader = false;
        // Bodies are measured where they are read, so that the refusal can name the setting; bulk insert has no limit.
        options.Limits.MaxRequestBodySize = null;
        options.Limits.MaxConcurrentConnections = _configuration.MaxConnections;
        options.AllowSynchronousIO = false;
        foreach (var url in _configuration.ServerUrls)
            options.Listen(
                Address(url),
                url.Port,
                listen =>
                {
                    listen.Protocols = HttpProtocols.Http1;
                    if (_certificate is not null)
                        listen.UseTls(_certificate, _connections, _gate);
                    listen.UseHandovers();
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
        return $"{_configuration.ServerUrl.Scheme}://{PublicHost()}:{bound.Port}";
    }

    /// <summary>Behind an address that stands for all of the machine's: the name that the certificate was made for, since clients check
    /// it; else the machine's name.</summary>
    private string PublicHost()
    {
        if (_configuration.ServerUrl.Host is not ("0.0.0.0" or "[::]"))
            return _configuration.ServerUrl.Host;
        var named = _certificate?.Current.Extensions.OfType<X509SubjectAlternativeNameExtension>().FirstOrDefault();
        return named?.EnumerateDnsNames().FirstOrDefault(name => !name.Contains('*', StringComparison.Ordinal)) ?? Dns.GetHostName();
    }
}
