using System.Collections.Concurrent;
using System.Net;
using Jackdaw.Brokers;

namespace Jackdaw.Etl.Tests;

/// <summary>An HTTP endpoint that takes events. Every request is recorded before it is answered.</summary>
internal sealed class WebhookEndpoint : IAsyncDisposable
{
    private readonly HttpEndpoint _endpoint;

    /// <param name="answer">Sets the status and what else. It may abort instead.</param>
    public WebhookEndpoint(Func<WebhookRequest, HttpListenerContext, Task> answer) =>
        _endpoint = new HttpEndpoint(
            (context, body) =>
            {
                var request = new WebhookRequest(
                    context.Request.Url!.AbsolutePath,
                    context.Request.ContentType ?? "",
                    context.Request.Headers,
                    body
                );
                Requests.Enqueue(request);
                return answer(request, context);
            },
            "hook/"
        );

    public string Url => _endpoint.Url.ToString();

    public ConcurrentQueue<WebhookRequest> Requests { get; } = [];

    public ValueTask DisposeAsync() => _endpoint.DisposeAsync();
}
