using Jackdaw.Server.Http;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Endpoints.Indexes;

/// <summary>The terms of a field, as they are indexed.</summary>
internal static class IndexTermsEndpoints
{
    /// <summary>Terms of one answer at most, and where no page size is given. A term has at most 512 bytes.</summary>
    private const int MaxPage = 4096;

    public static void Map(Router router) => router.Database("GET", "/indexes/terms", RequiredRight.DatabaseRead, Get);

    private static async Task Get(RequestContext request)
    {
        var index = request.RequiredIndex();
        var field = request.Query.Required("field");
        var after = request.Query["fromValue"];
        var pageSize = (int)Math.Min(request.Query.NonNegative("pageSize", MaxPage), MaxPage);
        // The index before the documents: otherwise its state could be told as newer than it is.
        using var reading = await index.OpenReadAsync("GET /indexes/terms", request.Aborted);
        using var documents = request.Database().OpenRead("GET /indexes/terms");
        var terms = reading.Search.Terms(field, string.IsNullOrEmpty(after) ? null : after, pageSize);
        var etag = reading.ResultEtag(documents);
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Terms");
            foreach (var term in terms)
                json.WriteStringValue(term);
            json.WriteEndArray();
            json.WriteNumber("ResultEtag", etag);
            json.WriteString("IndexName", index.Name);
            json.WriteEndObject();
        });
    }
}
