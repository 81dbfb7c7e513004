using System.Text.Json;
using Jackdaw.Server.Errors;

namespace Jackdaw.Server.Parsing;

/// <summary>The body of requests about several databases: <c>{"DatabaseNames":["a"],"HardDelete":true,…}</c>.</summary>
internal sealed record DatabaseNamesBody(IReadOnlyList<string> Names, bool HardDelete)
{
    /// <exception cref="BadRequestException">No names, or not of this form.</exception>
    public static DatabaseNamesBody Parse(ReadOnlyMemory<byte> utf8)
    {
        using var document = JsonBody.Parse(utf8);
        var names = new List<string>();
        var hard = false;
        if (document.RootElement.ValueKind != JsonValueKind.Object)
            throw new BadRequestException("The body must be an object with DatabaseNames.");
        foreach (var property in document.RootElement.EnumerateObject())
        {
            if (property.Name.Equals("DatabaseNames", StringComparison.OrdinalIgnoreCase) && property.Value.ValueKind == JsonValueKind.Array)
                names.AddRange(property.Value.EnumerateArray().Select(Name));
            else if (property.Name.Equals("HardDelete", StringComparison.OrdinalIgnoreCase))
                hard = property.Value.ValueKind == JsonValueKind.True;
        }
        return names.Count > 0 ? new DatabaseNamesBody(names, hard) : throw new BadRequestException("The body names no databases; expected {\"DatabaseNames\":[\"…\"]}.");
    }

    private static string Name(JsonElement element) =>
        element.ValueKind == JsonValueKind.String ? element.GetString()! : throw new BadRequestException("DatabaseNames must be an array of strings.");
}
