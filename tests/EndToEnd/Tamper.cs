using System.Net;
using Jackdaw.Brokers;
using Jackdaw.Functions.Tests;

namespace Jackdaw.EndToEnd;

/// <summary>Between a function app and the server, over plain http: plants a handler's mistake, and holds one batch up.</summary>
internal sealed class Tamper : IAsyncDisposable
{
    private readonly HttpEndpoint _endpoint;
    private readonly HttpClient _http;
    private readonly CancellationTokenSource _life = new();
    private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _held;

    public Tamper(string server, Mistake mistake)
    {
        _http = new HttpClient(new Trouble(new SocketsHttpHandler(), new Random(1), mistake, _life, odds: 0))
        {
            BaseAddress = new Uri(server),
        };
        _endpoint = new HttpEndpoint(PassAsync);
    }

    public string Url => _endpoint.Url.ToString();

    /// <summary>Whether a batch is held up.</summary>
    public bool IsHolding => Volatile.Read(ref _held) == 1 && !_released.Task.IsCompleted;

    /// <summary>Lets the batch go on.</summary>
    public void Release() => _released.TrySetResult();

    public async ValueTask DisposeAsync()
    {
        Release();
        await _endpoint.DisposeAsync();
        _http.Dispose();
        _life.Dispose();
    }

    private async Task PassAsync(HttpListenerContext context, byte[] body)
    {
        var path = context.Request.RawUrl!;
        // The first one only.
        if (path.EndsWith("/bulk_docs", StringComparison.Ordinal) && Interlocked.CompareExchange(ref _held, 1, 0) == 0)
            await _released.Task;
        using var request = new HttpRequestMessage(new HttpMethod(context.Request.HttpMethod), path);
        if (body.Length > 0)
            request.Content = new ByteArrayContent(body);
        using var answer = await _http.SendAsync(request);
        var text = await answer.Content.ReadAsByteArrayAsync();
        context.Response.StatusCode = (int)answer.StatusCode;
        if (answer.Headers.TryGetValues("Raven-Server-Version", out var version))
            context.Response.Headers["Raven-Server-Version"] = version.First();
        context.Response.ContentLength64 = text.Length;
        await context.Response.OutputStream.WriteAsync(text);
    }
}
