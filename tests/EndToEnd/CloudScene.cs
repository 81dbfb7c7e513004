using System.Diagnostics;
using System.Text.Json;
using Azure.Storage.Queues;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;
using Jackdaw.EndToEnd.Transports;
using Jackdaw.FunctionHost;
using Jackdaw.Functions.Tests;

namespace Jackdaw.EndToEnd;

/// <summary>
/// Everything from a saved document to the read model: the server, a broker, the function app under its host, and an endpoint for the
/// outbox. All of it can be killed or cut, and starts again where it was.
/// </summary>
internal sealed class CloudScene : IAsyncDisposable
{
    private const string DeadLetters = "dead-letters";

    /// <summary>The real host's messages that were under way when it was killed are out of sight for ten minutes.</summary>
    private static readonly TimeSpan s_patience = FunctionHostProcess.IsFuncInstalled ? TimeSpan.FromMinutes(15) : TimeSpan.FromMinutes(3);

    private readonly HostOptions _options;
    private readonly Dictionary<string, string> _settings;
    private FunctionHostProcess? _host;
    private int _succeeded;
    private int _failed;

    private CloudScene(AzuriteBroker azurite, Transport transport, Shop shop, Func<int, bool> fails, HostOptions options)
    {
        (Azurite, Transport, Shop, _options) = (azurite, transport, shop, options);
        Outside = new Outside(fails);
        _settings = new Dictionary<string, string>
        {
            ["Queues"] = azurite.ConnectionString,
            ["OrdersQueue"] = Transport.Orders,
            ["AccountsQueue"] = Transport.Accounts,
            ["DeadLetterQueue"] = DeadLetters,
            ["ClaimChecks"] = azurite.ConnectionString,
            ["AzureFunctionsJobHost__extensions__queues__maxPollingInterval"] = "00:00:00.5",
            ["AzureFunctionsJobHost__extensions__kafka__sessionTimeoutMs"] = "2000",
        };
        foreach (var ending in new[] { "FromQueue", "FromKafka", "FromRabbitMq", "FromEventHubs" }.Where(one => one != transport.Functions))
        foreach (var what in new[] { "Orders", "Accounts" })
            _settings[$"AzureWebJobs_{what}{ending}_Disabled"] = "true";
        foreach (var (name, value) in transport.Settings.Concat(shop.Settings))
            _settings[name] = value;
    }

    /// <summary>The storage account of dead letters and claim checks.</summary>
    public AzuriteBroker Azurite { get; }

    public Transport Transport { get; }

    public Shop Shop { get; }

    public Outside Outside { get; }

    /// <summary>Invocations that succeeded and failed, over all hosts.</summary>
    public (int Succeeded, int Failed) Invocations => (_succeeded + (_host?.Succeeded ?? 0), _failed + (_host?.Failed ?? 0));

    /// <param name="start">Starts the transport; it is given the storage account that takes dead letters.</param>
    /// <param name="isSecured">Over TLS.</param>
    /// <param name="fails">Whether a request of the outbox is answered with 500.</param>
    /// <param name="options">Of the host.</param>
    public static async Task<CloudScene> OpenAsync(
        Func<AzuriteBroker, Task<Transport>> start,
        bool isSecured,
        Func<int, bool> fails,
        HostOptions options
    )
    {
        // In the order in which they are ended where one of them does not start: nobody else would end their processes.
        var started = new Stack<IAsyncDisposable>();
        try
        {
            var shop = new Shop(isSecured);
            started.Push(shop);
            await shop.StartAsync();
            var azurite = await AzuriteBroker.StartAsync();
            started.Push(azurite);
            var transport = await start(azurite);
            started.Push(transport);
            var scene = new CloudScene(azurite, transport, shop, fails, options);
            started.Push(scene.Outside);
            await shop.PrepareAsync(transport, scene.Outside.Url);
            return scene;
        }
        catch
        {
            while (started.TryPop(out var one))
                await one.DisposeAsync();
            throw;
        }
    }

    /// <summary>Replaces an app setting for the next host.</summary>
    public void Set(string name, string value) => _settings[name] = value;

    public async Task StartHostAsync()
    {
        var app = Path.Combine(Repository.Root, "functions", "CustomHandler", "bin", "Release", "net10.0");
        _host = await FunctionHostProcess.StartAsync(app, _settings, _options);
    }

    /// <summary>kill -9 of the host, and of its handler with it.</summary>
    public async Task KillHostAsync()
    {
        await _host!.KillAsync();
        await ForgetHostAsync();
    }

    public async Task StopHostAsync()
    {
        await _host!.StopAsync();
        await ForgetHostAsync();
    }

    /// <summary>
    /// Kills the host while it has messages that its handler has not answered, and starts another. Nothing else may be under way.
    /// </summary>
    /// <param name="change">Causes a message.</param>
    /// <param name="isLost">The host is expected to have forgotten the message by then.</param>
    public async Task KillHostWithMessagesAsync(Func<Task> change, bool isLost)
    {
        // No byte passes between handler and server; that a handler has begun shows in its new connection.
        Shop.Proxy.Mode = ProxyMode.BlackHole;
        Shop.Proxy.CutAll();
        var before = Shop.Proxy.ConnectionsMade;
        await change();
        await Eventually.IsAsync(() => Shop.Proxy.ConnectionsMade > before);
        if (isLost)
            await Eventually.IsAsync(async () => await Transport.BacklogAsync() == 0);
        await KillHostAsync();
        Shop.Proxy.CutAll();
        Shop.Proxy.Mode = ProxyMode.Pass;
        await StartHostAsync();
    }

    /// <summary>Waits until everything that the source has was sent, handled, and sent on. Returns what the oracle finds then; null:
    /// nothing.</summary>
    /// <param name="orders">The ids of all orders.</param>
    /// <param name="streams">The ids of all accounts.</param>
    /// <param name="deadLetters">How many there have to be.</param>
    public async Task<string?> SettleAsync(IEnumerable<string> orders, IEnumerable<string> streams, int deadLetters = 0)
    {
        var began = Stopwatch.GetTimestamp();
        await Shop.Wire.UntilSentAsync("shop");
        while (await Transport.BacklogAsync() is var backlog && backlog > 0)
        {
            if (Stopwatch.GetElapsedTime(began) > s_patience)
                return $"{backlog} messages were not handled within {s_patience}. The host: {_host?.Output}";
            await Task.Delay(500);
        }
        await Shop.Wire.UntilSentAsync("views");
        if (await Transport.GivenUpAsync() is > 0 and var lost)
            return $"The host gave {lost} messages up.";
        if (await AzureTransport.CountAsync(Azurite, DeadLetters) is var letters && letters != deadLetters)
            return $"There are {letters} dead letters. The host: {_host?.Output}";
        if (Outside.Unaccepted is { } given)
            return $"The endpoint of the outbox has answered the effect {given} with 500 only.";
        return await Oracle.FindAsync(Shop.Wire, orders, streams, Outside.Notices);
    }

    /// <summary>Waits until the host or its handler says this.</summary>
    public Task UntilSaidAsync(string words) => Eventually.IsAsync(() => HasSaid(words), words);

    /// <summary>What the host and its handler have said lately.</summary>
    public string Said => _host!.Output;

    /// <summary>Whether they have said this.</summary>
    public bool HasSaid(string words) => Said.Contains(words, StringComparison.Ordinal);

    /// <summary>The dead letters that are there, as JSON.</summary>
    public async Task<IReadOnlyList<string>> DeadLettersAsync() =>
        [
            .. (
                await new QueueClient(
                    Azurite.ConnectionString,
                    DeadLetters,
                    new QueueClientOptions { MessageEncoding = QueueMessageEncoding.Base64 }
                ).PeekMessagesAsync(maxMessages: 32)
            ).Value.Select(message => message.MessageText),
        ];

    /// <summary>Sends the dead letters again, as an operator does.</summary>
    public async Task RedriveAsync()
    {
        await using var command = ServerUnderTest.Launch(
            null,
            ["queues", "redrive", DeadLetters, "--no-defaults"],
            new Dictionary<string, string> { ["AZURE_STORAGE_CONNECTION_STRING"] = Azurite.ConnectionString }
        );
        Assert.True(await command.WaitForExitAsync() == 0, command.Output + command.Errors);
    }

    /// <summary>Disables or enables the database of the read model.</summary>
    public async Task SetReadModelAsync(bool isThere) =>
        await Shop.Wire.SendAsync("POST", $"/admin/databases/{(isThere ? "enable" : "disable")}", """{"DatabaseNames":["views"]}""");

    /// <summary>Saves an order with one line.</summary>
    public async Task PutOrderAsync(string id, decimal price) =>
        await Shop.Wire.SendAsync(
            "PUT",
            $"/databases/shop/docs?id={Uri.EscapeDataString(id)}",
            JsonSerializer.Serialize(
                new Dictionary<string, object>
                {
                    ["Company"] = "companies/1",
                    ["Lines"] = new[] { new { PricePerUnit = price, Quantity = 1 } },
                    ["@metadata"] = new Dictionary<string, string> { ["@collection"] = "Orders" },
                }
            )
        );

    /// <summary>Appends an event to an account. Throws when the server is away, or somebody else has appended.</summary>
    public async Task AppendAsync(string stream, string kind, int amount)
    {
        var last = (await Shop.Wire.EventsAsync("shop", stream)) is [.., var one] ? one.GetProperty("number").GetInt64() : 0;
        await Shop.Wire.SendAsync(
            "POST",
            "/databases/shop/events",
            $$$"""{"groups":[{"stream":"{{{stream}}}","first":{{{last + 1}}},"events":[{"payload":{"{{{kind}}}":{{{amount}}}}}]}]}"""
        );
    }

    public async ValueTask DisposeAsync()
    {
        if (_host is not null)
            await _host.DisposeAsync();
        await Shop.DisposeAsync();
        await Transport.DisposeAsync();
        await Outside.DisposeAsync();
        await Azurite.DisposeAsync();
    }

    private async Task ForgetHostAsync()
    {
        _succeeded += _host!.Succeeded;
        _failed += _host.Failed;
        await _host.DisposeAsync();
        _host = null;
    }
}
