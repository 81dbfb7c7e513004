using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Jackdaw.Etl.Messages;

namespace Jackdaw.Etl.Webhook;

/// <summary>The headers of Standard Webhooks (symmetric, <c>v1</c>): id, time, HMAC-SHA256 over both and the body.</summary>
internal static class WebhookSignature
{
    public const string IdHeader = "webhook-id";
    public const string TimestampHeader = "webhook-timestamp";
    public const string SignatureHeader = "webhook-signature";

    /// <summary>The same at every attempt: made of the event's source and id, which need not be fit for a header.</summary>
    public static string Id(CloudEvent attributes) =>
        "msg_" + Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes($"{attributes.Source}\n{attributes.Id}")).AsSpan(0, 16));

    public static string Timestamp(DateTimeOffset now) => now.ToUnixTimeSeconds().ToString(CultureInfo.InvariantCulture);

    /// <summary><c>v1,</c> and the base64 of the MAC over <c>id.timestamp.body</c>.</summary>
    public static string Sign(byte[] secret, string id, string timestamp, ReadOnlySpan<byte> body)
    {
        using var mac = IncrementalHash.CreateHMAC(HashAlgorithmName.SHA256, secret);
        mac.AppendData(Encoding.ASCII.GetBytes($"{id}.{timestamp}."));
        mac.AppendData(body);
        return "v1," + Convert.ToBase64String(mac.GetHashAndReset());
    }
}
