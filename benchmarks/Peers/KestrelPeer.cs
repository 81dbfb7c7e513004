using Microsoft.AspNetCore.Http;

namespace Jackdaw.Bench.Peers;

/// <summary>The web server alone: answers every request with the same JSON bytes. The ceiling for a GET.</summary>
internal static class KestrelPeer
{
    public static Task RunAsync(int port, byte[] body, string? certificate, CancellationToken cancel) =>
        PeerHost.RunAsync(
            port,
            http =>
            {
                http.Response.ContentType = "application/json; charset=utf-8";
                http.Response.ContentLength = body.Length;
                return http.Response.Body.WriteAsync(body).AsTask();
            },
            cancel,
            certificate
        );
}
