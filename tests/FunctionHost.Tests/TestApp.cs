using System.Collections.Concurrent;
using System.Net;
using System.Text.Json;
using Jackdaw.FunctionHost.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Jackdaw.FunctionHost.Tests;

/// <summary>
/// A function app in a folder of its own. Its handler is a process that passes all that it gets to a web server in the test, so that a
/// test says what the handler answers and can kill it all the same.
/// </summary>
internal sealed class TestApp : IAsyncDisposable
{
    private const string Relay = """
        const net = require('net');
        net.createServer(host => {
          const test = net.connect(+process.env.TEST_PORT, '127.0.0.1');
          host.on('error', () => test.destroy());
          test.on('error', () => host.destroy());
          host.pipe(test);
          test.pipe(host);
        }).listen(+process.env.FUNCTIONS_CUSTOMHANDLER_PORT, '127.0.0.1');
        console.log('relaying');
        """;

    private readonly WebApplication _web;
    private readonly Dictionary<string, string> _settings = [];
    private readonly ConcurrentQueue<string> _lines = [];
    private FunctionHost? _host;

    private TestApp(WebApplication web)
    {
        _web = web;
        File.WriteAllText(Path.Combine(Folder, "relay.cjs"), Relay);
        WriteHostFile("{}");
    }

    public string Folder { get; } = Directory.CreateTempSubdirectory("jackdaw-function-app-").FullName;

    /// <summary>Every invocation, in the order of arrival.</summary>
    public ConcurrentQueue<Call> Calls { get; } = [];

    /// <summary>What the handler answers; 200 and an empty object when nothing is set.</summary>
    public Func<Call, Task<Reply>> Answer { get; set; } = _ => Task.FromResult(Reply.Ok);

    public FunctionHost Host => _host ?? throw new InvalidOperationException("The host was not started.");

    /// <summary>Of the web server in the test.</summary>
    public string Port => _settings["TEST_PORT"];

    public IReadOnlyList<string> Lines => [.. _lines];

    public static async Task<TestApp> CreateAsync()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Services.Configure<KestrelServerOptions>(options => options.Listen(IPAddress.Loopback, 0));
        var app = new TestApp(builder.Build());
        app._web.MapGet("/", () => Results.NotFound());
        app._web.MapPost("/{function}", app.ReceiveAsync);
        await app._web.StartAsync();
        app._settings["TEST_PORT"] = app._web.Urls.Single().Split(':')[^1].TrimEnd('/');
        return app;
    }

    public void Set(string name, string value) => _settings[name] = value;

    /// <summary>Writes host.json.</summary>
    /// <param name="extensions">Its section of that name.</param>
    /// <param name="more">Further members, each with a comma behind it.</param>
    public void WriteHostFile(string extensions, string more = "") =>
        File.WriteAllText(
            Path.Combine(Folder, "host.json"),
            $$"""
            {
              // Comments are allowed.
              "version": "2.0", {{more}}
              "customHandler": { "description": { "defaultExecutablePath": "node", "arguments": ["relay.cjs"] } },
              "extensions": {{extensions}}
            }
            """
        );

    public void WriteFunction(string name, string function)
    {
        Directory.CreateDirectory(Path.Combine(Folder, name));
        File.WriteAllText(Path.Combine(Folder, name, "function.json"), function);
    }

    /// <summary>A function over a storage queue.</summary>
    public void WriteQueueFunction(string name, string queue, string more = "", string outputs = "") =>
        WriteFunction(
            name,
            $$"""
            {"bindings":[{"name":"item","type":"queueTrigger","direction":"in","queueName":"{{queue}}","connection":"Account"{{more}}}{{outputs}}]}
            """
        );

    public async Task StartAsync(HostOptions? options = null)
    {
        _host = FunctionHost.Start(Folder, new AppSettings(_settings), options ?? new HostOptions(), _lines.Enqueue);
        using var patience = new CancellationTokenSource(Eventually.Patience);
        await _host.ReadyAsync(patience.Token);
    }

    /// <summary>Ends the host, not the app.</summary>
    public async Task StopAsync()
    {
        await Host.DisposeAsync();
        _host = null;
    }

    /// <summary>The error of an app that cannot be run.</summary>
    public string Refusal() =>
        Assert
            .Throws<AppException>(() => FunctionHost.Start(Folder, new AppSettings(_settings), new HostOptions(), _lines.Enqueue))
            .Message;

    public async ValueTask DisposeAsync()
    {
        if (_host is not null)
            await _host.DisposeAsync();
        await _web.DisposeAsync();
        Directory.Delete(Folder, recursive: true);
    }

    /// <summary>Whether any process of this machine runs the handler of this app.</summary>
    public bool IsHandlerRunning() =>
        Directory
            .EnumerateDirectories("/proc")
            .Where(process => int.TryParse(Path.GetFileName(process), out _))
            .Any(process =>
            {
                try
                {
                    return File.ReadAllText(Path.Combine(process, "cmdline")).Contains("relay.cjs", StringComparison.Ordinal)
                        && new FileInfo(Path.Combine(process, "cwd")).LinkTarget == Folder;
                }
                catch (Exception e) when (e is IOException or UnauthorizedAccessException)
                {
                    // It has ended meanwhile.
                    return false;
                }
            });

    private async Task<IResult> ReceiveAsync(string function, HttpRequest request)
    {
        var call = new Call(function, await JsonSerializer.DeserializeAsync<JsonElement>(request.Body));
        Calls.Enqueue(call);
        var reply = await Answer(call);
        return Results.Text(reply.Body, "application/json", statusCode: reply.Status);
    }
}
