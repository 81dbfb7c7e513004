using System.Net;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;

namespace Jackdaw.Functions.Tests.Queues;

/// <summary>Azurite's queues by way of a proxy that kills the command before a certain request, which is not passed on.</summary>
internal sealed class DoomedAccount : IAsyncDisposable
{
    private static readonly string[] s_ofThisHop = ["Host", "Connection", "Content-Length", "Transfer-Encoding", "Keep-Alive"];

    private readonly HttpEndpoint _proxy;
    private readonly HttpClient _http = new();
    private readonly AzuriteBroker _azurite;
    private readonly int _deadly;
    private readonly TaskCompletionSource<ServerUnderTest> _victim = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _requests;

    public DoomedAccount(AzuriteBroker azurite, int deadly)
    {
        (_azurite, _deadly) = (azurite, deadly);
        _proxy = new HttpEndpoint(ForwardAsync);
    }

    public string ConnectionString => _azurite.ConnectionStringOver(_proxy.Url.Port, _azurite.BlobPort);

    public bool HasKilled { get; private set; }

    public void Kills(ServerUnderTest victim) => _victim.SetResult(victim);

    public async ValueTask DisposeAsync()
    {
        await _proxy.DisposeAsync();
        _http.Dispose();
    }

    private async Task ForwardAsync(HttpListenerContext context, byte[] body)
    {
        if (Interlocked.Increment(ref _requests) >= _deadly)
        {
            HasKilled = true;
            await (await _victim.Task).KillAsync();
            context.Response.Abort();
            return;
        }
        var target = new UriBuilder(context.Request.Url!) { Port = _azurite.QueuePort }.Uri;
        using var request = new HttpRequestMessage(new HttpMethod(context.Request.HttpMethod), target)
        {
            Content = new ByteArrayContent(body),
        };
        foreach (var name in context.Request.Headers.AllKeys.Except(s_ofThisHop, StringComparer.OrdinalIgnoreCase))
            if (!request.Headers.TryAddWithoutValidation(name!, context.Request.Headers[name]))
                request.Content.Headers.TryAddWithoutValidation(name!, context.Request.Headers[name]);
        using var answer = await _http.SendAsync(request);
        context.Response.StatusCode = (int)answer.StatusCode;
        foreach (var (name, values) in answer.Headers.Concat(answer.Content.Headers))
            if (!s_ofThisHop.Contains(name, StringComparer.OrdinalIgnoreCase))
                context.Response.Headers[name] = string.Join(',', values);
        await context.Response.OutputStream.WriteAsync(await answer.Content.ReadAsByteArrayAsync());
    }
}
