using Jackdaw.Documents.Json;
using Jackdaw.Server.Http;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Documents;

/// <summary>
/// Answers <c>/docs</c> for given ids: results in the order asked for, null where there is none, and the documents that they
/// refer to. An answer that one read transaction gives carries an ETag; larger ones are sent in pieces, a transaction each, without one.
/// </summary>
internal static class DocumentsById
{
    /// <summary>Gathered in memory before a piece is sent.</summary>
    private const int PieceBytes = 1024 * 1024;

    private const string Purpose = "GET /docs";

    public static async Task SendAsync(RequestContext request, IReadOnlyList<string> ids)
    {
        var memory = new IdMemory();
        foreach (var id in ids)
            if (!memory.TryAdd(id))
                throw memory.Refusal("The request asks for");
        var database = request.Database();
        var metadataOnly = request.Query.Flag("metadataOnly");
        var included = new IncludedDocuments(request.Query.All("include"), ids, metadataOnly);
        using var etag = new ResponseEtag();
        var position = 0;
        var found = 0;
        request.Response.Write("{\"Results\":["u8);
        for (var isFirst = true; position < ids.Count || isFirst; isFirst = false)
        {
            if (!isFirst)
                await request.GoOnAsync(PieceBytes);
            bool isWhole;
            using (var reader = database.OpenRead(Purpose))
            {
                for (; position < ids.Count && request.Response.Length < PieceBytes && !reader.IsDue; position++)
                {
                    if (position > 0)
                        request.Response.Write((byte)',');
                    if (ids[position].Length > 0 && reader.TryGet(ids[position], out var document))
                    {
                        found++;
                        etag.Add(document.ChangeVector);
                        included.Collect(document);
                        Write(document, request.Response, metadataOnly);
                    }
                    else
                    {
                        etag.AddMissing();
                        request.Response.Write("null"u8);
                    }
                }
                isWhole = isFirst && position == ids.Count && included.WriteNext(reader, request.Response, PieceBytes, etag);
            }
            if (!isWhole)
                continue;
            request.Response.Write("}"u8);
            await SendWholeAsync(request, etag.Finish(), missing: found == 0 && ids.Count == 1);
            return;
        }
        await included.WriteRestAsync(request, database);
        request.Response.Write("}"u8);
        await request.EndPiecesAsync();
    }

    private static Task SendWholeAsync(RequestContext request, string etag, bool missing)
    {
        if (missing)
            return SendMissing(request);
        request.Http.Response.Headers.ETag = etag;
        if (request.IsNotModified(etag))
        {
            request.Response.Clear();
            return request.SendEmptyAsync(StatusCodes.Status304NotModified);
        }
        return request.SendAsync(StatusCodes.Status200OK);
    }

    /// <summary>The one document asked for does not exist. Inside a multi_get the clients parse the body of this, too.</summary>
    internal static Task SendMissing(RequestContext request)
    {
        request.Response.Clear();
        if (!request.IsInner)
            return request.SendEmptyAsync(StatusCodes.Status404NotFound);
        request.Response.Write("{\"Results\":[null],\"Includes\":{}}"u8);
        return request.SendAsync(StatusCodes.Status404NotFound);
    }

    internal static void Write(in Jackdaw.Documents.Reading.Document document, ResponseBuffer response, bool metadataOnly)
    {
        if (metadataOnly)
            DocumentJson.WriteMetadataOnly(document, response);
        else
            DocumentJson.Write(document, response);
    }
}
