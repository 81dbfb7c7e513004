using System.Globalization;
using System.Text.Json.Nodes;

namespace Jackdaw.Demo.Traffic;

/// <summary>An order of the sample's shop.</summary>
internal sealed record Order(string Id, string Company, IReadOnlyList<OrderLine> Lines)
{
    public const string Collection = "Orders";

    /// <summary>What its summary must say.</summary>
    public decimal Total => Lines.Sum(line => line.PricePerUnit * line.Quantity);

    /// <summary>The document, without its metadata.</summary>
    public JsonObject ToDocument() =>
        new()
        {
            [nameof(Company)] = Company,
            [nameof(Lines)] = new JsonArray([
                .. Lines.Select(line => new JsonObject
                {
                    [nameof(OrderLine.Product)] = line.Product,
                    [nameof(OrderLine.PricePerUnit)] = line.PricePerUnit,
                    [nameof(OrderLine.Quantity)] = line.Quantity,
                }),
            ]),
        };

    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{Id}: {Lines.Count} {(Lines.Count == 1 ? "line" : "lines")}, {Total:0.00}");
}
