using System.Globalization;
using System.Text.Json;

namespace Jackdaw.Etl.AzureIdentity;

/// <summary>A token and when it ends.</summary>
internal sealed record AccessTokenGrant(string Token, DateTimeOffset ExpiresOn)
{
    /// <summary>
    /// Reads a token endpoint's answer: <c>access_token</c>, and its end as <c>expires_on</c> (seconds since 1970) or
    /// <c>expires_in</c> (seconds from now), each a
    /// number or a text of one. Null when that is not there.
    /// </summary>
    public static AccessTokenGrant? Parse(ReadOnlyMemory<byte> answer, DateTimeOffset now)
    {
        try
        {
            using var document = JsonDocument.Parse(answer);
            var root = document.RootElement;
            if (
                root.ValueKind != JsonValueKind.Object
                || !root.TryGetProperty("access_token", out var token)
                || token.ValueKind != JsonValueKind.String
            )
                return null;
            if (Seconds(root, "expires_on") is { } on)
                return new AccessTokenGrant(token.GetString()!, DateTimeOffset.FromUnixTimeSeconds(on));
            return Seconds(root, "expires_in") is { } span ? new AccessTokenGrant(token.GetString()!, now.AddSeconds(span)) : null;
        }
        catch (JsonException)
        {
            return null;
        }
    }

    /// <summary>Without the token.</summary>
    public override string ToString() => $"a token until {ExpiresOn:u}";

    private static long? Seconds(JsonElement root, string name)
    {
        if (!root.TryGetProperty(name, out var value))
            return null;
        string? text = value.ValueKind switch
        {
            JsonValueKind.Number => value.GetRawText(),
            JsonValueKind.String => value.GetString(),
            _ => null,
        };
        return
            long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long seconds)
            && seconds <= DateTimeOffset.MaxValue.ToUnixTimeSeconds() / 2
            ? seconds
            : null;
    }
}
