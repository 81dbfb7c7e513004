using System.Collections.Concurrent;
using System.Net;
using System.Text;
using Jackdaw.Brokers;

namespace Jackdaw.Etl.Tests;

/// <summary>An HTTP endpoint that answers as the test says. Every request is recorded before it is answered.</summary>
internal sealed class HttpStub : IAsyncDisposable
{
    private readonly HttpEndpoint _endpoint;

    /// <param name="answer">Gets the request and its body; sets what is to be said.</param>
    public HttpStub(Func<HttpListenerRequest, string, HttpListenerResponse, Task> answer) =>
        _endpoint = new HttpEndpoint(
            (context, bytes) =>
            {
                string body = Encoding.UTF8.GetString(bytes);
                Requests.Enqueue((context.Request.HttpMethod, context.Request.Url!.PathAndQuery, body));
                return answer(context.Request, body, context.Response);
            }
        );

    /// <param name="answer">Gets the request; what to say, and with which status.</param>
    public HttpStub(Func<HttpListenerRequest, (int Status, string Body)> answer)
        : this((request, _, response) => answer(request) is var (status, body) ? SayAsync(response, status, body) : Task.CompletedTask) { }

    public Uri Url => _endpoint.Url;

    /// <summary>Method, path with query, and body of each.</summary>
    public ConcurrentQueue<(string Method, string Path, string Body)> Requests { get; } = [];

    /// <summary>Says something with a status.</summary>
    public static async Task SayAsync(HttpListenerResponse response, int status, string body, string contentType = "application/json")
    {
        response.StatusCode = status;
        response.ContentType = contentType;
        await response.OutputStream.WriteAsync(Encoding.UTF8.GetBytes(body));
    }

    public ValueTask DisposeAsync() => _endpoint.DisposeAsync();
}
