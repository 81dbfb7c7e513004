using System.Text.Json;
using System.Text.Json.Nodes;
using Jackdaw.Functions.Handlers.Consuming;
using Jackdaw.Functions.Handlers.Documents;
using Jackdaw.Functions.Handlers.Messages;

namespace Jackdaw.Functions.Handlers.Samples;

/// <summary>The sample over documents: of each order its company, the number of its lines and their total.</summary>
/// <param name="version">Raise it to build the read model anew.</param>
public sealed class OrderSummaries(int version) : IDocumentProjection
{
    /// <inheritdoc/>
    public Consumer Consumer { get; } = new("order-summaries", version);

    /// <inheritdoc/>
    public string Collection => "OrderSummaries";

    /// <inheritdoc/>
    public string IdOf(string documentId) => $"summaries/{documentId}";

    /// <inheritdoc/>
    public JsonObject? Project(CloudEvent message)
    {
        ArgumentNullException.ThrowIfNull(message);
        if (message.Data.ValueKind != JsonValueKind.Object)
            throw new MessageFaultException($"The order '{message.Subject}' has no data.");
        var (count, total) = (0, 0m);
        if (message.Data.TryGetProperty("Lines", out var lines))
        {
            if (lines.ValueKind != JsonValueKind.Array)
                throw new MessageFaultException($"The Lines of the order '{message.Subject}' are no array.");
            foreach (var line in lines.EnumerateArray())
            {
                total += Number(line, "PricePerUnit", message) * Number(line, "Quantity", message);
                count++;
            }
        }
        return new JsonObject
        {
            ["Order"] = message.Subject,
            ["Company"] = message.Data.TryGetProperty("Company", out var company) ? JsonNode.Parse(company.GetRawText()) : null,
            ["Lines"] = count,
            ["Total"] = total,
        };
    }

    private static decimal Number(JsonElement line, string name, CloudEvent message) =>
        line.ValueKind == JsonValueKind.Object
        && line.TryGetProperty(name, out var value)
        && value.ValueKind == JsonValueKind.Number
        && value.TryGetDecimal(out var number)
        && Math.Abs(number) < 1_000_000_000_000m
            ? number
            : throw new MessageFaultException($"A line of the order '{message.Subject}' has no '{name}' below a trillion.");
}
