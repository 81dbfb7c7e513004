using System.Text;

namespace Jackdaw.Functions.Tests;

/// <summary>Something between a handler and the server that answers in the server's place, with 200, until <see cref="Body"/> is
/// null.</summary>
internal sealed class Proxy(HttpMessageHandler server, string path) : HttpMessageHandler
{
    private readonly HttpMessageInvoker _server = new(server, disposeHandler: false);

    /// <summary>What it answers to requests whose path ends so; null: what the server answers.</summary>
    public string? Body { get; set; }

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) =>
        Body is { } body && request.RequestUri!.AbsolutePath.EndsWith(path, StringComparison.Ordinal)
            ? new HttpResponseMessage { Content = new StringContent(body, Encoding.UTF8, "application/json") }
            : await _server.SendAsync(request, cancellationToken);

    protected override void Dispose(bool disposing)
    {
        _server.Dispose();
        base.Dispose(disposing);
    }
}
