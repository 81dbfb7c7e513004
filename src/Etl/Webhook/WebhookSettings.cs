using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl.Webhook;

/// <summary>An HTTP endpoint that takes CloudEvents.</summary>
public sealed record WebhookSettings
{
    /// <summary>Bytes of a secret; the scheme asks for 24 to 64.</summary>
    private const int MinSecretBytes = 24;
    private const int MaxSecretBytes = 64;
    private const string SecretPrefix = "whsec_";

    /// <summary>http or https; <c>{target}</c> in it is replaced by the message's target, escaped.</summary>
    public required string Url { get; init; }

    /// <summary>Key of the signature: <c>whsec_</c> and base64 of 24 to 64 bytes. Null: nothing is signed.</summary>
    public string? Secret { get; init; }

    /// <summary>Of one request, answer included.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>Requests at once; of one key there is never more than one.</summary>
    public int MaxConcurrency { get; init; } = 16;

    /// <summary>Throws <see cref="InvalidConfigurationException"/>, which never shows the address: it may come from a secret's
    /// place, or hold one.</summary>
    public void Validate()
    {
        if (
            !Uri.TryCreate(Url.Replace(WebhookSink.TargetMark, "target", StringComparison.Ordinal), UriKind.Absolute, out var url)
            || url.Scheme is not ("http" or "https")
            || url.UserInfo.Length > 0
        )
        {
            throw new InvalidConfigurationException("The webhook's Url must be an absolute http or https address without a user's name.");
        }
        if (Timeout <= TimeSpan.Zero || Timeout > TimeSpan.FromMinutes(10))
            throw new InvalidConfigurationException($"The webhook's Timeout must be above zero and at most ten minutes, not {Timeout}.");
        if (MaxConcurrency is < 1 or > 256)
            throw new InvalidConfigurationException($"The webhook's MaxConcurrency must be from 1 to 256, not {MaxConcurrency}.");
        if (Secret is not null)
            SecretBytes();
    }

    /// <summary>The secret decoded. The errors never show it.</summary>
    internal byte[] SecretBytes()
    {
        Span<byte> bytes = stackalloc byte[2 * MaxSecretBytes];
        string text = Secret!.StartsWith(SecretPrefix, StringComparison.Ordinal) ? Secret[SecretPrefix.Length..] : "";
        if (!Convert.TryFromBase64String(text, bytes, out int length) || length is < MinSecretBytes or > MaxSecretBytes)
            throw new InvalidConfigurationException(
                $"The webhook's Secret must be '{SecretPrefix}' followed by the base64 of {MinSecretBytes} to {MaxSecretBytes} bytes."
            );
        return bytes[..length].ToArray();
    }

    /// <summary>Without anything secret.</summary>
    public override string ToString() => Uri.TryCreate(Url, UriKind.Absolute, out var url) ? $"webhook at {url.Authority}" : "webhook";
}
