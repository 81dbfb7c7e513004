using System.Net.Sockets;
using System.Text;
using System.Text.Json;

namespace Jackdaw.EventStreams.Client.Tests.Serving;

/// <summary>A request that waits for its answer.</summary>
internal sealed class FakeRequest(TcpClient connection, string method, Uri url, string body)
{
    private readonly TaskCompletionSource _answered = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public string Body => body;

    public string Method => method;

    public Uri Url => url;

    public Task Answered => _answered.Task;

    /// <summary>The groups of an append as "stream:first+count".</summary>
    public string[] Groups
    {
        get
        {
            using var json = JsonDocument.Parse(body);
            return
            [
                .. json
                    .RootElement.GetProperty("groups")
                    .EnumerateArray()
                    .Select(g => $"{g.GetProperty("stream")}:{g.GetProperty("first")}+{g.GetProperty("events").GetArrayLength()}"),
            ];
        }
    }

    /// <summary>Answers an append: every group is stored.</summary>
    public Task AnswerAsync()
    {
        var groups = Groups.Select(_ => """{"outcome":"stored","highest":1,"lastPosition":1}""");
        return SendAsync(200, $$"""{"databaseId":"{{FakeServer.DatabaseId}}","groups":[{{string.Join(',', groups)}}]}""");
    }

    public Task FailAsync(int status) => SendAsync(status, $$"""{"Type":"T","Message":"status {{status}}"}""");

    /// <summary>Closes the connection without an answer.</summary>
    public void Cut()
    {
        connection.Dispose();
        _answered.TrySetResult();
    }

    public async Task SendAsync(int status, string text)
    {
        await BeginAsync(status, text, missing: 0);
        _answered.TrySetResult();
    }

    /// <summary>Sends an answer but for its last bytes.</summary>
    public async Task BeginAsync(int status, string text, int missing)
    {
        try
        {
            var bytes = Encoding.UTF8.GetBytes(text);
            var head = $"HTTP/1.1 {status} Fake\r\nContent-Length: {bytes.Length + missing}\r\n\r\n";
            await connection.GetStream().WriteAsync((byte[])[.. Encoding.ASCII.GetBytes(head), .. bytes]);
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException or InvalidOperationException)
        {
            // The client has gone.
        }
    }
}
