using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Jackdaw.Bench.Peers;

/// <summary>The web server alone: upgrades every connection and waits for its first byte, which never comes.</summary>
internal static class UpgradePeer
{
    public static Task RunAsync(int port, CancellationToken cancel) => PeerHost.RunAsync(port, UpgradeAsync, cancel);

    private static async Task UpgradeAsync(HttpContext http)
    {
        http.Response.Headers.Connection = "Upgrade";
        http.Response.Headers.Upgrade = "websocket";
        await using Stream stream = await http.Features.GetRequiredFeature<IHttpUpgradeFeature>().UpgradeAsync();
        try
        {
            _ = await stream.ReadAsync(Memory<byte>.Empty);
        }
        catch (IOException)
        {
            // The client has gone.
        }
    }
}
