using System.IO.Pipelines;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Jackdaw.Server.Tests.Serving;

/// <summary>A client of live reads without a network: at the other end of a pipe, which holds a few bytes when it does not read.</summary>
internal sealed class LiveClient : IAsyncDisposable
{
    private readonly Pipe _pipe = new(new PipeOptions(pauseWriterThreshold: 8192, resumeWriterThreshold: 4096));
    private readonly CancellationTokenSource _gone = new();
    private readonly StreamReader _lines;

    private LiveClient(ServerScene scene, string query, string database)
    {
        _lines = new StreamReader(_pipe.Reader.AsStream(), Encoding.UTF8);
        Served = ServeAsync(scene, query, database);
    }

    /// <summary>Ends when the server is done with the request.</summary>
    public Task Served { get; }

    /// <summary>The server has broken the connection.</summary>
    public bool WasAborted { get; private set; }

    public int Status { get; private set; }

    public IReadOnlyDictionary<string, string> Headers { get; private set; } = new Dictionary<string, string>();

    /// <summary>Connects, and reads the first line.</summary>
    public static async Task<LiveClient> ConnectAsync(ServerScene scene, string query = "", string database = "db")
    {
        var client = Begin(scene, query, database);
        var first = await client.NextAsync();
        Assert.Equal(["databaseId", "durable"], first.EnumerateObject().Select(member => member.Name));
        client.First = first.GetProperty("durable").GetInt64();
        return client;
    }

    /// <summary>Connects, and reads nothing.</summary>
    public static LiveClient Begin(ServerScene scene, string query = "", string database = "db") => new(scene, query, database);

    /// <summary>The position of the first line.</summary>
    public long First { get; private set; }

    /// <summary>Something has been sent that it has not read.</summary>
    public bool HasUnread
    {
        get
        {
            if (!_pipe.Reader.TryRead(out var unread))
                return false;
            _pipe.Reader.AdvanceTo(unread.Buffer.Start);
            return !unread.Buffer.IsEmpty;
        }
    }

    /// <summary>The next line.</summary>
    public async Task<JsonElement> NextAsync() =>
        await TryNextAsync() ?? throw new InvalidOperationException("The server has ended the answer.");

    /// <summary>The next line; null at the end of the answer.</summary>
    public async Task<JsonElement?> TryNextAsync()
    {
        var line = await _lines.ReadLineAsync().WaitAsync(Eventually.Patience);
        if (line is null)
            return null;
        using var json = JsonDocument.Parse(line);
        return json.RootElement.Clone();
    }

    /// <summary>The next line, which must be an event, as "stream/number".</summary>
    public async Task<string> NextEventAsync()
    {
        var line = await NextAsync();
        Assert.True(line.TryGetProperty("position", out _), line.ToString());
        return $"{line.GetProperty("stream").GetString()}/{line.GetProperty("number")}";
    }

    /// <summary>The last line's error and the end of the answer.</summary>
    public async Task<(string? Type, string? Message)> EndAsync()
    {
        var error = (await NextAsync()).GetProperty("error");
        Assert.Null(await TryNextAsync());
        await Served.WaitAsync(Eventually.Patience);
        return (error.GetProperty("type").GetString(), error.GetProperty("message").GetString());
    }

    /// <summary>The network breaks, or the client goes away.</summary>
    public async Task CutAsync()
    {
        await _gone.CancelAsync();
        await _pipe.Reader.CompleteAsync(new ConnectionResetException("The connection was reset."));
        await Served.WaitAsync(Eventually.Patience);
    }

    public async ValueTask DisposeAsync()
    {
        await CutAsync();
        _lines.Dispose();
        _gone.Dispose();
    }

    private async Task ServeAsync(ServerScene scene, string query, string database)
    {
        var dispatcher = scene.State.Dispatcher;
        var features = new FeatureCollection();
        var response = new Response();
        var output = new StreamResponseBodyFeature(_pipe.Writer.AsStream());
        features.Set<IHttpRequestFeature>(
            new HttpRequestFeature
            {
                Method = "GET",
                Path = $"/databases/{database}/events/live",
                QueryString = query,
                Protocol = "HTTP/1.1",
                Scheme = "http",
            }
        );
        features.Set<IHttpResponseFeature>(response);
        features.Set<IHttpResponseBodyFeature>(output);
        features.Set<IHttpRequestLifetimeFeature>(new Lifetime(this));
        var headers = features.GetRequiredFeature<IHttpRequestFeature>().Headers;
        headers.Host = "localhost";
        headers.AcceptEncoding = "gzip, zstd";
        var context = dispatcher.CreateContext(features);
        await Task.Yield();
        try
        {
            await dispatcher.ProcessRequestAsync(context);
            Status = context.Http.Response.StatusCode;
            Headers = context.Http.Response.Headers.ToDictionary(h => h.Key, h => h.Value.ToString());
            await output.CompleteAsync();
        }
        catch (Exception e) when (e is ConnectionResetException or OperationCanceledException or InvalidOperationException)
        {
            // The pipe was cut.
        }
        finally
        {
            dispatcher.DisposeContext(context, null);
            await _pipe.Writer.CompleteAsync();
        }
    }

    private sealed class Response : HttpResponseFeature
    {
        public override bool HasStarted => true;
    }

    private sealed class Lifetime(LiveClient client) : IHttpRequestLifetimeFeature
    {
        public CancellationToken RequestAborted { get; set; } = client._gone.Token;

        public void Abort()
        {
            client.WasAborted = true;
            client._gone.Cancel();
            client._pipe.Reader.CancelPendingRead();
            client._pipe.Reader.Complete(new ConnectionAbortedException());
        }
    }
}
