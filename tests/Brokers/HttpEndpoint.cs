using System.Net;

namespace Jackdaw.Brokers;

/// <summary>A real HTTP server in the test's process, on a port of 127.0.0.1, for one path and all below it.</summary>
public sealed class HttpEndpoint : IAsyncDisposable
{
    private readonly HttpListener _listener = new();
    private readonly Func<HttpListenerContext, byte[], Task> _answer;
    private readonly Task _loop;

    /// <summary>Begins to listen.</summary>
    /// <param name="answer">Gets a request with its body, many at once, and sets what is to be said; closing the response is done
    /// for it. It may abort instead.</param>
    /// <param name="path">Without a slash at its beginning; empty: every path.</param>
    public HttpEndpoint(Func<HttpListenerContext, byte[], Task> answer, string path = "")
    {
        _answer = answer;
        Url = new Uri($"http://127.0.0.1:{LoopbackPort.Find()}/{path}");
        _listener.Prefixes.Add(Url.ToString());
        _listener.Start();
        _loop = Task.Run(RunAsync);
    }

    /// <summary>Where it is.</summary>
    public Uri Url { get; }

    /// <summary>Ends listening; what is being answered is cut.</summary>
    public async ValueTask DisposeAsync()
    {
        // Not Stop and then Close: the second would bind the address once more, which another test's server may have by then.
        _listener.Close();
        await _loop;
    }

    private async Task RunAsync()
    {
        while (true)
        {
            HttpListenerContext context;
            try
            {
                context = await _listener.GetContextAsync();
            }
            catch (Exception e) when (e is HttpListenerException or ObjectDisposedException or InvalidOperationException)
            {
                return;
            }
            _ = AnswerAsync(context);
        }
    }

    private async Task AnswerAsync(HttpListenerContext context)
    {
        try
        {
            using var body = new MemoryStream();
            await context.Request.InputStream.CopyToAsync(body);
            await _answer(context, body.ToArray());
            context.Response.Close();
        }
        catch (Exception e) when (e is HttpListenerException or ObjectDisposedException or InvalidOperationException or IOException)
        {
            // Whoever asked has gone, perhaps in the middle of it, or the answer was to cut him off.
        }
    }
}
