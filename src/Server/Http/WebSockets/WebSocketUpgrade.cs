using System.Security.Cryptography;
using System.Text;
using Jackdaw.Server.Http.Upgrading;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Microsoft.Net.Http.Headers;

namespace Jackdaw.Server.Http.WebSockets;

/// <summary>The handshake of a WebSocket (RFC 6455, 4.2), without extensions and subprotocols.</summary>
internal static class WebSocketUpgrade
{
    private const string Version = "13";
    private const int KeyBytes = 16;

    /// <summary>RFC 6455, 1.3.</summary>
    private const string KeySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    /// <summary>Refuses a request that asks for no WebSocket. The gate has refused pages of other origins before.</summary>
    /// <exception cref="BadRequestException">It asks for none.</exception>
    public static void Require(RequestContext request)
    {
        var headers = request.Request.Headers;
        if (request.Http.Features.Get<IHttpUpgradeFeature>() is not { IsUpgradableRequest: true } || !AsksForWebSocket(headers))
            throw new BadRequestException(
                $"{request.Request.Path.Value} is a WebSocket: the request must have the headers "
                    + "'Connection: Upgrade' and 'Upgrade: websocket'."
            );
        if (headers.SecWebSocketVersion != Version)
            throw new BadRequestException(
                $"The version of WebSockets is {Version} here; the request's Sec-WebSocket-Version is '{headers.SecWebSocketVersion}'."
            );
        if (!IsKey(headers.SecWebSocketKey.ToString()))
            throw new BadRequestException("The request's Sec-WebSocket-Key must be 16 bytes in base64.");
    }

    /// <summary>Answers 101, and hands the connection over: it is the protocol's when the request has ended.</summary>
    /// <param name="request">Its handler does nothing more.</param>
    /// <param name="protocol">Runs on the connection until it ends.</param>
    public static async Task AcceptAsync(RequestContext request, ConnectionDelegate protocol)
    {
        var features = request.Http.Features;
        var handover = features.GetRequiredFeature<IConnectionHandover>();
        if (features.Get<IHttpMinResponseDataRateFeature>() is { } rate)
            rate.MinDataRate = null;
        var headers = request.Http.Response.Headers;
        headers.Connection = "Upgrade";
        headers.Upgrade = "websocket";
        headers.SecWebSocketAccept = Accept(request.Request.Headers.SecWebSocketKey.ToString());
        _ = await features.GetRequiredFeature<IHttpUpgradeFeature>().UpgradeAsync();
        handover.HandOver(protocol);
    }

    internal static string Accept(string key) =>
#pragma warning disable CA5350 // The protocol says SHA-1; nothing is kept secret by it.
        Convert.ToBase64String(SHA1.HashData(Encoding.ASCII.GetBytes(key + KeySuffix)));
#pragma warning restore CA5350

    private static bool AsksForWebSocket(IHeaderDictionary headers) =>
        headers.GetCommaSeparatedValues(HeaderNames.Connection).Contains("Upgrade", StringComparer.OrdinalIgnoreCase)
        && headers.GetCommaSeparatedValues(HeaderNames.Upgrade).Contains("websocket", StringComparer.OrdinalIgnoreCase);

    private static bool IsKey(string key)
    {
        Span<byte> bytes = stackalloc byte[KeyBytes + 2];
        return Convert.TryFromBase64String(key, bytes, out var length) && length == KeyBytes;
    }
}
