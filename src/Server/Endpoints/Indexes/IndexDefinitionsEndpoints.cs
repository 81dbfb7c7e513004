using System.Text.Json;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Indexes;

/// <summary>Definitions of indexes: listed, deleted, reset. Definitions of one's own are refused by their language, as this version has
/// none.</summary>
internal static class IndexDefinitionsEndpoints
{
    /// <summary>Definitions that one answer lists at most.</summary>
    private const int MaxPage = 1024;

    public static void Map(Router router) =>
        router
            .Database("GET", "/indexes", RequiredRight.DatabaseRead, Get)
            .Database("DELETE", "/indexes", RequiredRight.DatabaseReadWrite, Delete)
            .Database("RESET", "/indexes", RequiredRight.DatabaseReadWrite, Reset)
            .Database("PUT", "/indexes", RequiredRight.DatabaseReadWrite, Put)
            .Database("PUT", "/admin/indexes", RequiredRight.DatabaseAdmin, Put)
            .Database("POST", "/indexes/has-changed", RequiredRight.DatabaseRead, HasChanged);

    private static Task Get(RequestContext request)
    {
        var indexes = request.Indexes();
        var found = indexes.All.AsEnumerable();
        if (request.Query["name"] is { Length: > 0 } name)
        {
            if (indexes.Find(name) is not { } index)
                return request.SendEmptyAsync(StatusCodes.Status404NotFound);
            found = [index];
        }
        var start = (int)Math.Min(request.Query.NonNegative("start", 0), int.MaxValue);
        var namesOnly = request.Query.Flag("namesOnly");
        var page = found.Skip(start).Take((int)Math.Min(request.Query.NonNegative("pageSize", MaxPage), MaxPage));
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Results");
            foreach (var index in page)
            {
                if (namesOnly)
                    json.WriteStringValue(index.Name);
                else
                    IndexDefinitionJson.Write(json, index);
            }
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static async Task Delete(RequestContext request)
    {
        var isDeleted = await request.Indexes().DeleteAsync(request.Query.Required("name"));
        await request.SendEmptyAsync(isDeleted ? StatusCodes.Status204NoContent : StatusCodes.Status404NotFound);
    }

    private static async Task Reset(RequestContext request)
    {
        var name = request.Query.Required("name");
        if (!await request.Indexes().ResetAsync(name))
            throw request.NoIndex(name);
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteString("Index", name);
            json.WriteEndObject();
        });
    }

    private static async Task Put(RequestContext request)
    {
        request.Database();
        using var body = await RequestBody.ReadAsync(request);
        using var json = JsonBody.Parse(body.Bytes);
        if (
            json.RootElement.ValueKind != JsonValueKind.Object
            || !json.RootElement.TryGetProperty("Indexes", out var definitions)
            || definitions.ValueKind != JsonValueKind.Array
            || definitions.GetArrayLength() == 0
        )
            throw new BadRequestException("The body must be an object with Indexes, an array of definitions.");
        // All are read: a malformed one is told although another one is refused.
        var given = definitions.EnumerateArray().Select(GivenDefinition.Read).ToList();
        throw new FeatureNotSupportedException(
            $"index definitions {given[0].Kind} ('{given[0].Name}'). Queries make the indexes that they need by themselves"
        );
    }

    private static async Task HasChanged(RequestContext request)
    {
        var indexes = request.Indexes();
        using var body = await RequestBody.ReadAsync(request);
        using var json = JsonBody.Parse(body.Bytes);
        var given = GivenDefinition.Read(json.RootElement);
        var isSame =
            indexes.Find(given.Name) is { } index
            && given.Reduce is null
            && given.Maps is [var map]
            && map == IndexDefinitionJson.Map(index.Definition);
        await request.SendJsonAsync(answer =>
        {
            answer.WriteStartObject();
            answer.WriteBoolean("Changed", !isSame);
            answer.WriteEndObject();
        });
    }
}
