using System.Globalization;
using System.Text;
using System.Text.Json;
using RabbitMQ.Client;

namespace Jackdaw.Etl.Tests.RabbitMq;

/// <summary>A message as a consumer got it.</summary>
internal sealed record RabbitMessage(string Exchange, string RoutingKey, IReadOnlyBasicProperties Properties, byte[] Body)
{
    public string Id => Properties.MessageId ?? "";

    public long Etag => long.Parse(Header("cloudEvents:etag")!, CultureInfo.InvariantCulture);

    public JsonElement Json => JsonDocument.Parse(Body).RootElement;

    /// <summary>Texts as texts, numbers as their digits; null when it is absent.</summary>
    public string? Header(string name) =>
        Properties.Headers?.TryGetValue(name, out object? value) == true
            ? value is byte[] text
                ? Encoding.UTF8.GetString(text)
                : Convert.ToString(value, CultureInfo.InvariantCulture)
            : null;
}
