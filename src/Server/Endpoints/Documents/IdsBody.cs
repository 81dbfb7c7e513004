using System.Text.Json;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Documents;

/// <summary>The body of <c>POST /docs</c>: <c>{"Ids":["a","b"]}</c>.</summary>
internal static class IdsBody
{
    /// <exception cref="BadRequestException">Not of this form.</exception>
    public static List<string> Parse(ReadOnlyMemory<byte> utf8)
    {
        using var document = JsonBody.Parse(utf8);
        if (
            document.RootElement.ValueKind != JsonValueKind.Object
            || !document.RootElement.TryGetProperty("Ids", out var ids)
            || ids.ValueKind != JsonValueKind.Array
        )
            throw new BadRequestException("The body must be an object with an array Ids.");
        var list = new List<string>(ids.GetArrayLength());
        foreach (var id in ids.EnumerateArray())
            list.Add(
                id.ValueKind switch
                {
                    JsonValueKind.String => id.GetString()!,
                    JsonValueKind.Null => "",
                    _ => throw new BadRequestException("Ids must be an array of strings."),
                }
            );
        return list;
    }
}
