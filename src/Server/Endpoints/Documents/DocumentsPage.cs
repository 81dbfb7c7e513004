using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.Reading;
using Jackdaw.Server.Http;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Documents;

/// <summary>
/// Answers <c>/docs</c> without ids: a page of the ids under a prefix, in id order, or of all documents, newest first. Sent in
/// pieces of about a megabyte, a read
/// transaction each. A page newest first that is larger keeps the ids of its rest meanwhile; what is deleted before its turn is left out.
/// </summary>
internal static class DocumentsPage
{
    private const int PieceBytes = 1024 * 1024;
    private const string Purpose = "GET /docs";

    public static Task SendAsync(RequestContext request)
    {
        var database = request.Database();
        using (var reader = database.OpenRead(Purpose))
        {
            // Whatever happens in the database changes this; that is coarse, but never wrong and costs nothing.
            var etag = ResponseEtag.Of(Encoding.ASCII.GetBytes($"{reader.LastEtag}-{database.IdText}"));
            request.Http.Response.Headers.ETag = etag;
            if (request.IsNotModified(etag))
                return request.SendEmptyAsync(StatusCodes.Status304NotModified);
        }
        return request.Query["startsWith"] is { } prefix
            ? SendByPrefixAsync(request, database, prefix)
            : SendNewestFirstAsync(request, database);
    }

    private static async Task SendByPrefixAsync(RequestContext request, Database database, string prefix)
    {
        var walk = PrefixWalk.FromQuery(request.Query, prefix);
        var metadataOnly = request.Query.Flag("metadataOnly");
        var included = new IncludedDocuments(request.Query.All("include"), [], metadataOnly);
        var first = true;
        request.Response.Write("{\"Results\":["u8);
        while (true)
        {
            using (var reader = database.OpenRead(Purpose))
                walk.Read(
                    reader,
                    () => request.Response.Length < PieceBytes,
                    (in Document document) =>
                    {
                        Separate(request.Response, ref first);
                        included.CollectResult(document);
                        DocumentsById.Write(document, request.Response, metadataOnly);
                    }
                );
            if (walk.IsAtEnd)
                break;
            await request.FlushPieceAsync();
        }
        await included.WriteInPiecesAsync(request, database, walk.NextPageStart);
    }

    private static async Task SendNewestFirstAsync(RequestContext request, Database database)
    {
        var start = request.Query.NonNegative("start", 0);
        var pageSize = request.Query.NonNegative("pageSize", long.MaxValue);
        var metadataOnly = request.Query.Flag("metadataOnly");
        var included = new IncludedDocuments(request.Query.All("include"), [], metadataOnly);
        var rest = new Queue<byte[]>();
        var first = true;
        request.Response.Write("{\"Results\":["u8);
        using (var reader = database.OpenRead(Purpose))
        {
            var cursor = reader.NewestFirst();
            for (long skipped = 0; skipped < start && cursor.MoveNext(); )
                skipped++;
            for (long taken = 0; taken < pageSize && cursor.MoveNext(); taken++)
            {
                if (request.Response.Length < PieceBytes)
                    Write(cursor.Current);
                else
                    rest.Enqueue(cursor.Current.LowerId.ToArray());
            }
        }
        while (rest.Count > 0)
        {
            await request.FlushPieceAsync();
            using var reader = database.OpenRead(Purpose);
            while (request.Response.Length < PieceBytes && rest.TryDequeue(out var id))
                if (reader.TryGet(id, out var document))
                    Write(document);
        }
        await included.WriteInPiecesAsync(request, database);

        void Write(in Document document)
        {
            Separate(request.Response, ref first);
            included.CollectResult(document);
            DocumentsById.Write(document, request.Response, metadataOnly);
        }
    }

    private static void Separate(ResponseBuffer response, ref bool first)
    {
        if (!first)
            response.Write((byte)',');
        first = false;
    }
}
