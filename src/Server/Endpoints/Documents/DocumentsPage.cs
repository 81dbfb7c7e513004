using System.Globalization;
using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.Reading;
using Jackdaw.Server.Http;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Documents;

/// <summary>
/// Answers <c>/docs</c> without ids: a page of the ids under a prefix, in id order, or of all documents, newest first. An answer that one
/// read transaction gives carries an ETag; a longer one goes on from its last key in further transactions, without one.
/// </summary>
internal static class DocumentsPage
{
    private const int PieceBytes = 1024 * 1024;
    private const string Purpose = "GET /docs";

    public static async Task SendAsync(RequestContext request)
    {
        var database = request.Database();
        var byPrefix = request.Query["startsWith"] is { } prefix ? PrefixWalk.FromQuery(request.Query, prefix) : null;
        IDocumentWalk walk = byPrefix ?? (IDocumentWalk)NewestWalk.FromQuery(request.Query);
        var metadataOnly = request.Query.Flag("metadataOnly");
        var included = new IncludedDocuments(request.Query.All("include"), [], metadataOnly);
        string etag;
        bool isWhole;
        using (var reader = database.OpenRead(Purpose))
        {
            etag = Etag(reader, database);
            if (request.IsNotModified(etag))
            {
                request.Http.Response.Headers.ETag = etag;
                await request.SendEmptyAsync(StatusCodes.Status304NotModified);
                return;
            }
            request.Response.Write("{\"Results\":["u8);
            Read(reader);
            isWhole = walk.IsAtEnd && included.WriteNext(reader, request.Response, PieceBytes);
        }
        if (isWhole)
            request.Http.Response.Headers.ETag = etag;
        else
            await SendRestAsync();
        if (byPrefix is { NextPageStart: var next })
            request.Response.Write(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $",\"NextPageStart\":{next}")));
        request.Response.Write("}"u8);
        await request.EndPiecesAsync();

        void Read(DocumentsReader reader) =>
            walk.Read(
                reader,
                () => request.Response.Length < PieceBytes,
                (in Document document) =>
                {
                    if (!included.IsFirstResult)
                        request.Response.Write((byte)',');
                    included.CollectResult(document);
                    DocumentsById.Write(document, request.Response, metadataOnly);
                }
            );

        async Task SendRestAsync()
        {
            while (!walk.IsAtEnd)
            {
                await request.GoOnAsync(PieceBytes);
                using var reader = database.OpenRead(Purpose);
                Read(reader);
            }
            await included.WriteRestAsync(request, database);
        }
    }

    /// <summary>Whatever happens in the database changes this; that is coarse, but never wrong and costs nothing.</summary>
    private static string Etag(DocumentsReader reader, Database database) =>
        ResponseEtag.Of(Encoding.ASCII.GetBytes($"{reader.LastEtag}-{database.IdText}"));
}
