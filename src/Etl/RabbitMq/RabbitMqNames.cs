using System.Security.Cryptography;
using System.Text;
using Jackdaw.Etl.Messages;

namespace Jackdaw.Etl.RabbitMq;

/// <summary>What the broker takes as names. AMQP 0-9-1 writes each as a text of at most 255 bytes; names that begin with
/// <c>amq.</c> are the broker's.</summary>
internal static class RabbitMqNames
{
    /// <summary>Bytes of a name, a routing key or a message id in UTF-8.</summary>
    public const int MaxBytes = 255;

    private const string BrokersPrefix = "amq.";

    /// <summary>They are always there.</summary>
    private static readonly string[] s_standardExchanges = ["amq.direct", "amq.fanout", "amq.topic", "amq.headers", "amq.match"];

    /// <summary>The broker's own, which can be published to and not be declared.</summary>
    public static bool IsStandardExchange(string name) => s_standardExchanges.Contains(name, StringComparer.Ordinal);

    /// <summary>Why there cannot be an exchange of that name; null when there can. The empty name is the default exchange's.</summary>
    public static string? RefusalOfExchange(string name)
    {
        if (TooLong("exchange", name) is { } refusal)
            return refusal;
        return name.StartsWith(BrokersPrefix, StringComparison.Ordinal) && !IsStandardExchange(name)
            ? $"the exchange name '{name}' begins with '{BrokersPrefix}', which RabbitMQ keeps for itself."
            : null;
    }

    /// <summary>Why a message cannot be published; null when it can.</summary>
    /// <param name="message">The message.</param>
    /// <param name="declares">Its queue would be declared.</param>
    public static string? Refusal(OutboundMessage message, bool declares)
    {
        string key = message.RoutingKey ?? "";
        if ((RefusalOfExchange(message.Target) ?? TooLong("routing key", key)) is { } refusal)
            return refusal;
        if (message.Target.Length > 0)
            return null;
        if (key.Length == 0)
            return "a message to the default exchange (the empty name) needs a routing key: the name of its queue.";
        return declares && key.StartsWith(BrokersPrefix, StringComparison.Ordinal)
            ? $"the queue name '{key}' begins with '{BrokersPrefix}', which RabbitMQ keeps for itself."
            : null;
    }

    /// <summary>The event's id; one that is too long for the property is replaced by its hash, which is the same at every attempt
    /// too.</summary>
    public static string MessageId(string eventId) =>
        Encoding.UTF8.GetByteCount(eventId) <= MaxBytes
            ? eventId
            : "sha256-" + Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(eventId)));

    private static string? TooLong(string what, string name)
    {
        int bytes = Encoding.UTF8.GetByteCount(name);
        return bytes > MaxBytes ? $"the {what} '{name[..32]}…' has {bytes} bytes, over RabbitMQ's limit of {MaxBytes}." : null;
    }
}
