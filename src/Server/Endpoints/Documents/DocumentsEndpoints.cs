using System.Text.Json;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Json;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Documents;

/// <summary>Single documents, and lists of them by id, by prefix or newest first.</summary>
internal static class DocumentsEndpoints
{
    private static readonly string[] NotYetIncluded =
    [
        "counter",
        "timeseries",
        "timeseriestime",
        "timeseriescount",
        "revisions",
        "revisionsBefore",
        "cmpxchg",
    ];

    public static void Map(Router router) =>
        router
            .Database("GET", "/docs", RequiredRight.DatabaseRead, Get)
            .Database("POST", "/docs", RequiredRight.DatabaseRead, GetByBody)
            .Database("HEAD", "/docs", RequiredRight.DatabaseRead, Head)
            .Database("PUT", "/docs", RequiredRight.DatabaseReadWrite, Put)
            .Database("DELETE", "/docs", RequiredRight.DatabaseReadWrite, Delete);

    private static Task Get(RequestContext request)
    {
        var query = request.Query;
        if (query.PartCount == 1 && query["id"] is { Length: > 0 } id)
            return GetOne(request, id);
        RequireKnownIncludes(request);
        return query.Has("id") ? DocumentsById.SendAsync(request, query.All("id")) : DocumentsPage.SendAsync(request);
    }

    private static async Task GetByBody(RequestContext request)
    {
        RequireKnownIncludes(request);
        List<string> ids;
        using (var body = await RequestBody.ReadAsync(request))
            ids = IdsBody.Parse(body.Bytes);
        await DocumentsById.SendAsync(request, ids);
    }

    /// <summary>The hot path: one id and nothing else.</summary>
    private static Task GetOne(RequestContext request, string id)
    {
        var database = request.Database();
        using (var reader = database.OpenRead("GET /docs"))
        {
            if (!reader.TryGet(id, out var document))
                return DocumentsById.SendMissing(request);
            var etag = ResponseEtag.Of(document.ChangeVector);
            request.Http.Response.Headers.ETag = etag;
            if (request.IsNotModified(etag))
                return request.SendEmptyAsync(StatusCodes.Status304NotModified);
            var response = request.Response;
            response.Write("{\"Results\":["u8);
            DocumentJson.Write(document, response);
            response.Write("],\"Includes\":{}}"u8);
        }
        return request.SendAsync(StatusCodes.Status200OK);
    }

    private static Task Head(RequestContext request)
    {
        var database = request.Database();
        var id = request.Query.Required("id");
        string etag;
        using (var reader = database.OpenRead("HEAD /docs"))
        {
            if (!reader.TryGet(id, out var document))
                return request.SendEmptyAsync(StatusCodes.Status404NotFound);
            etag = ResponseEtag.Of(document.ChangeVector);
        }
        request.Http.Response.Headers.ETag = etag;
        return request.SendEmptyAsync(request.IsNotModified(etag) ? StatusCodes.Status304NotModified : StatusCodes.Status200OK);
    }

    private static async Task Put(RequestContext request)
    {
        var database = request.Database();
        var batch = BatchOperation.Rent();
        var body = await RequestBody.ReadAsync(request);
        try
        {
            var put = batch.AddPut();
            put.SetId(request.Query["id"] ?? throw new BadRequestException("The parameter 'id' is missing; give it empty to get a guid."));
            put.SetExpectedChangeVector(HeaderValues.ChangeVector(request.Request.Headers.IfMatch));
            put.SetDocument(body.Bytes, database.Limits);
            batch.Trace = request.Trace(database);
            await database.SubmitAsync(batch);
            WritePutResult(request.Json(), put);
        }
        finally
        {
            batch.Return();
            body.Dispose();
        }
        await request.SendAsync(StatusCodes.Status201Created);
    }

    private static void WritePutResult(Utf8JsonWriter json, PutCommand put)
    {
        json.WriteStartObject();
        json.WriteString("Id"u8, put.Id);
        json.WriteString("ChangeVector"u8, put.ChangeVector);
        json.WriteEndObject();
        json.Flush();
    }

    private static async Task Delete(RequestContext request)
    {
        var database = request.Database();
        var batch = BatchOperation.Rent();
        try
        {
            var delete = batch.AddDelete();
            delete.SetId(request.Query.Required("id"));
            delete.SetExpectedChangeVector(HeaderValues.ChangeVector(request.Request.Headers.IfMatch));
            batch.Trace = request.Trace(database);
            await database.SubmitAsync(batch);
        }
        finally
        {
            batch.Return();
        }
        await request.SendEmptyAsync(StatusCodes.Status204NoContent);
    }

    private static void RequireKnownIncludes(RequestContext request)
    {
        foreach (var name in NotYetIncluded)
            if (!string.IsNullOrEmpty(request.Query[name]))
                throw new FeatureNotSupportedException($"The parameter '{name}' of /docs");
        if ("ClusterWide".Equals(request.Query["txMode"], StringComparison.OrdinalIgnoreCase))
            throw new FeatureNotSupportedException("txMode=ClusterWide");
    }
}
