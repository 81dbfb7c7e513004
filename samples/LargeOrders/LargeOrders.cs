using System.Text.Json;
using System.Text.Json.Nodes;
using Jackdaw.Functions.Handlers.Consuming;
using Jackdaw.Functions.Handlers.Documents;
using Jackdaw.Functions.Handlers.Messages;

namespace Jackdaw.LargeOrders;

/// <summary>Keeps a document for each order of 100 or more, with its total.</summary>
/// <param name="version">Raise it to build the read model anew.</param>
public sealed class LargeOrders(int version) : IDocumentProjection
{
    private const decimal Large = 100;

    /// <inheritdoc/>
    public Consumer Consumer { get; } = new("large-orders", version);

    /// <inheritdoc/>
    public string Collection => "LargeOrders";

    /// <inheritdoc/>
    public string IdOf(string documentId) => $"large/{documentId}";

    /// <inheritdoc/>
    public JsonObject? Project(CloudEvent message)
    {
        ArgumentNullException.ThrowIfNull(message);
        if (message.Data.ValueKind != JsonValueKind.Object || !message.Data.TryGetProperty("Total", out var total))
            throw new MessageFaultException($"The message about '{message.Subject}' has no Total.");
        // An order that is not large, or no longer, has no document here.
        return total.GetDecimal() >= Large ? new JsonObject { ["Order"] = message.Subject, ["Total"] = total.GetDecimal() } : null;
    }
}
