using System.Text;
using System.Text.Json;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.MultiGet;

/// <summary>The body of <c>/multi_get</c>: <c>{"Requests":[{"Url","Query","Method","Headers":{},"Content"}]}</c>, Content being
/// an object or a string that holds JSON.</summary>
internal static class MultiGetBody
{
    /// <exception cref="BadRequestException">Not of this form.</exception>
    public static List<InnerRequest> Parse(ReadOnlyMemory<byte> utf8)
    {
        using var document = JsonBody.Parse(utf8);
        if (
            document.RootElement.ValueKind != JsonValueKind.Object
            || !document.RootElement.TryGetProperty("Requests", out var requests)
            || requests.ValueKind != JsonValueKind.Array
        )
            throw new BadRequestException("The body must be an object with an array Requests.");
        return requests.EnumerateArray().Select(ParseOne).ToList();
    }

    private static InnerRequest ParseOne(JsonElement one)
    {
        if (one.ValueKind != JsonValueKind.Object)
            throw new BadRequestException("Each of Requests must be an object.");
        var method = (Text(one, "Method") ?? "GET").ToUpperInvariant();
        if (method is not ("GET" or "POST"))
            throw new BadRequestException($"A request of a multi_get must be GET or POST, not {method}.");
        var url = Text(one, "Url") ?? throw new BadRequestException("A request of a multi_get has no Url.");
        if (!url.StartsWith('/'))
            throw new BadRequestException($"The Url of a request of a multi_get must be a path that begins with '/', not '{url}'.");
        var headers = new List<KeyValuePair<string, string>>();
        if (one.TryGetProperty("Headers", out var given) && given.ValueKind == JsonValueKind.Object)
            headers.AddRange(
                given
                    .EnumerateObject()
                    .Where(h => h.Value.ValueKind == JsonValueKind.String)
                    .Select(h => KeyValuePair.Create(h.Name, h.Value.GetString()!))
            );
        return new InnerRequest(method, Uri.UnescapeDataString(url), QueryOf(one), headers, Content(one));
    }

    /// <summary>With its question mark, which a client may leave out.</summary>
    private static string QueryOf(JsonElement one) =>
        Text(one, "Query") switch
        {
            null or "" => "",
            ['?', ..] query => query,
            var query => "?" + query,
        };

    private static byte[] Content(JsonElement one) =>
        !one.TryGetProperty("Content", out var content) || content.ValueKind == JsonValueKind.Null
            ? []
            : Encoding.UTF8.GetBytes(content.ValueKind == JsonValueKind.String ? content.GetString()! : content.GetRawText());

    private static string? Text(JsonElement one, string name)
    {
        if (!one.TryGetProperty(name, out var value) || value.ValueKind == JsonValueKind.Null)
            return null;
        return value.ValueKind == JsonValueKind.String
            ? value.GetString()
            : throw new BadRequestException($"{name} of a request of a multi_get must be a string.");
    }
}
