using System.Collections.Concurrent;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;
using Jackdaw.Functions.Handlers.Consuming;
using Jackdaw.Functions.Handlers.Documents;
using Jackdaw.Functions.Handlers.Messages;
using Jackdaw.Functions.Handlers.Running;
using Jackdaw.Functions.Handlers.Samples;
using Jackdaw.Functions.Handlers.Storing;
using Jackdaw.Functions.Handlers.Streams;

namespace Jackdaw.Functions.Tests;

/// <summary>
/// A server with a source <c>shop</c> and a read model <c>views</c>. What the source's tasks send is collected here, as a queue would;
/// a test delivers it in whatever order it likes. What the outbox sends is collected too.
/// </summary>
internal sealed class Scene : IAsyncDisposable
{
    private readonly HttpEndpoint _queue;
    private readonly HttpEndpoint _outside;
    private readonly Func<bool> _fails;
    private readonly HttpClient _http = new() { Timeout = Eventually.Patience };
    private readonly SocketsHttpHandler _connections = new();
    private ServerUnderTest _server = null!;

    private Scene(Func<bool> fails)
    {
        _fails = fails;
        _queue = new HttpEndpoint(
            (_, body) =>
            {
                Messages.Enqueue(body);
                return Task.CompletedTask;
            },
            "queue/"
        );
        _outside = new HttpEndpoint(
            (context, body) =>
            {
                Notices.Enqueue((context.Request.Headers["webhook-id"]!, JsonSerializer.Deserialize<JsonElement>(body)));
                // It has acted on the request, and its answer is lost: the request comes again.
                if (_fails())
                    context.Response.StatusCode = 500;
                return Task.CompletedTask;
            },
            "outside/"
        );
    }

    /// <summary>Everything that the source has sent.</summary>
    public ConcurrentQueue<byte[]> Messages { get; } = [];

    /// <summary>Everything that has come outside.</summary>
    public ConcurrentQueue<(string WebhookId, JsonElement Event)> Notices { get; } = [];

    public Graves Graves { get; } = new();

    public ServerUnderTest Server => _server;

    public Wire Wire { get; private set; } = null!;

    public static async Task<Scene> OpenAsync(Func<bool>? fails = null, string? folder = null)
    {
        var scene = new Scene(fails ?? (() => false));
        await scene.StartServerAsync(folder);
        await scene.Wire.CreateAsync("shop");
        await scene.Wire.CreateAsync("views");
        await scene.Wire.StartTaskAsync("shop", "orders", "Orders", "loadToOrders(this);", scene._queue.Url, deletes: true);
        await scene.Wire.StartTaskAsync("shop", "events", "@events", "loadToEvents({ n: this.number });", scene._queue.Url, deletes: false);
        await scene.Wire.StartTaskAsync("views", "outbox", Effect.Collection, Effect.Script, scene._outside.Url, deletes: false);
        return scene;
    }

    public async Task StartServerAsync(string? folder)
    {
        _server = folder is null ? await ServerUnderTest.StartAsync("--RunInMemory=true") : await ServerUnderTest.StartAsync(folder, []);
        Wire = new Wire(_http, _server.Url);
    }

    /// <summary>The message is of an event, not of an order.</summary>
    public static bool IsEvent(ReadOnlySpan<byte> message) => message.IndexOf("\"target\":\"Events\""u8) >= 0;

    /// <summary>The handler of a message's kind.</summary>
    public MessageHandler Handler(
        ReadOnlySpan<byte> message,
        int version = 1,
        HttpMessageHandler? over = null,
        IClaimChecks? claimChecks = null,
        Action<Exception, TimeSpan>? waits = null
    )
    {
        var http = new HttpClient(over ?? _connections, disposeHandler: false) { BaseAddress = new Uri(_server.Url + "/") };
        var (shop, views) = (new JackdawDatabase(http, "shop"), new JackdawDatabase(http, "views"));
        var history = new SourceHistory(shop, TimeProvider.System);
        IMessageConsumer consumer = IsEvent(message)
            ? new StreamConsumer(new AccountBalances(version), views, shop, history)
            : new DocumentConsumer(new OrderSummaries(version), views, history);
        return new MessageHandler(
            consumer,
            claimChecks ?? new NoClaimChecks(),
            Graves,
            new HandlerOptions
            {
                FirstPause = TimeSpan.FromMilliseconds(1),
                LongestPause = TimeSpan.FromMilliseconds(20),
                Waits = waits,
            }
        );
    }

    /// <summary>Delivers messages of one kind once, together, with mishaps. False: the handler was killed, and they stay in their
    /// queue.</summary>
    public async Task<bool> DeliverAsync(IReadOnlyList<byte[]> messages, int version, Random random, Mistake mistake, double odds)
    {
        using var life = new CancellationTokenSource();
        using var trouble = new Trouble(new Shared(_connections), random, mistake, life, odds);
        var handler = Handler(messages[0], version, trouble);
        try
        {
            var others = await handler.HandleTogetherAsync([.. messages.Select(one => (ReadOnlyMemory<byte>)one)], life.Token);
            foreach (var message in others)
                await handler.HandleAsync(message, life.Token);
            return true;
        }
        catch (OperationCanceledException) when (life.IsCancellationRequested)
        {
            return false;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        await _queue.DisposeAsync();
        await _outside.DisposeAsync();
        _http.Dispose();
        _connections.Dispose();
    }

    /// <summary>Connections that outlive a delivery: whoever disposes of this does not dispose of them.</summary>
    private sealed class Shared(HttpMessageHandler connections) : HttpMessageHandler
    {
        private readonly HttpMessageInvoker _invoker = new(connections, disposeHandler: false);

        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) =>
            _invoker.SendAsync(request, cancellationToken);

        protected override void Dispose(bool disposing)
        {
            _invoker.Dispose();
            base.Dispose(disposing);
        }
    }
}
