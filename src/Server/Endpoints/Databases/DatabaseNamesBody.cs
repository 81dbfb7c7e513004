using System.Text.Json;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Databases;

/// <summary>The body of requests about several databases: <c>{"DatabaseNames":["a"],"HardDelete":true,"FromNodes":["A"],…}</c>.</summary>
/// <param name="Names">At least one.</param>
/// <param name="HardDelete">Whether the files go, too.</param>
/// <param name="FromNodes">The nodes that are meant; empty for all.</param>
internal sealed record DatabaseNamesBody(IReadOnlyList<string> Names, bool HardDelete, IReadOnlyList<string> FromNodes)
{
    /// <exception cref="BadRequestException">No names, or not of this form.</exception>
    public static DatabaseNamesBody Parse(ReadOnlyMemory<byte> utf8)
    {
        using var document = JsonBody.Parse(utf8);
        var names = new List<string>();
        var nodes = new List<string>();
        var hard = false;
        if (document.RootElement.ValueKind != JsonValueKind.Object)
            throw new BadRequestException("The body must be an object with DatabaseNames.");
        foreach (var property in document.RootElement.EnumerateObject())
        {
            if (
                property.Name.Equals("DatabaseNames", StringComparison.OrdinalIgnoreCase)
                && property.Value.ValueKind == JsonValueKind.Array
            )
                names.AddRange(property.Value.EnumerateArray().Select(element => Name(element, "DatabaseNames")));
            else if (property.Name.Equals("HardDelete", StringComparison.OrdinalIgnoreCase))
                hard = property.Value.ValueKind switch
                {
                    JsonValueKind.True => true,
                    JsonValueKind.False or JsonValueKind.Null => false,
                    _ => throw new BadRequestException($"HardDelete must be true or false, not {property.Value.GetRawText()}."),
                };
            else if (
                property.Name.Equals("FromNodes", StringComparison.OrdinalIgnoreCase)
                && property.Value.ValueKind != JsonValueKind.Null
            )
                nodes.AddRange(
                    property.Value.ValueKind == JsonValueKind.Array
                        ? property.Value.EnumerateArray().Select(element => Name(element, "FromNodes"))
                        : throw new BadRequestException("FromNodes must be an array of strings.")
                );
        }
        return names.Count > 0
            ? new DatabaseNamesBody(names, hard, nodes)
            : throw new BadRequestException("The body names no databases; expected {\"DatabaseNames\":[\"…\"]}.");
    }

    private static string Name(JsonElement element, string member) =>
        element.ValueKind == JsonValueKind.String
            ? element.GetString()!
            : throw new BadRequestException($"{member} must be an array of strings.");
}
