using System.Text.Json;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Indexes;

/// <summary>The body of requests that set something of several indexes: <c>{"IndexNames":["a"],"Priority":"Low"}</c>.</summary>
internal static class IndexNamesBody
{
    /// <summary>Reads the names and the value.</summary>
    /// <exception cref="BadRequestException">It is not of this form, or names no index.</exception>
    public static async Task<(IReadOnlyList<string> Names, T Value)> ReadAsync<T>(RequestContext request, string member)
        where T : struct, Enum
    {
        request.Database();
        using var body = await RequestBody.ReadAsync(request);
        using var json = JsonBody.Parse(body.Bytes);
        if (json.RootElement.ValueKind != JsonValueKind.Object)
            throw new BadRequestException($"The body must be an object with IndexNames and {member}.");
        List<string>? names = null;
        T? value = null;
        foreach (var property in json.RootElement.EnumerateObject())
        {
            if (property.Name.Equals("IndexNames", StringComparison.OrdinalIgnoreCase))
                names = Names(property.Value);
            else if (property.Name.Equals(member, StringComparison.OrdinalIgnoreCase))
                value =
                    property.Value.ValueKind == JsonValueKind.String
                    && Enum.GetNames<T>().Contains(property.Value.GetString()!, StringComparer.OrdinalIgnoreCase)
                        ? Enum.Parse<T>(property.Value.GetString()!, ignoreCase: true)
                        : throw new BadRequestException(
                            $"{member} must be one of {string.Join(", ", Enum.GetNames<T>())}, not {property.Value.GetRawText()}."
                        );
        }
        if (names is not { Count: > 0 })
            throw new BadRequestException("The body names no indexes; expected {\"IndexNames\":[\"…\"]}.");
        return (names, value ?? throw new BadRequestException($"The body has no {member}."));
    }

    private static List<string> Names(JsonElement names) =>
        names.ValueKind == JsonValueKind.Array && names.EnumerateArray().All(name => name.ValueKind == JsonValueKind.String)
            ? [.. names.EnumerateArray().Select(name => name.GetString()!)]
            : throw new BadRequestException("IndexNames must be an array of texts.");
}
