using Jackdaw.Documents.Json;
using Jackdaw.Documents.Reading;
using Jackdaw.Server.Endpoints.Documents;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>All documents, or those under a prefix, as they are read: a line each, or the elements of one array.</summary>
internal static class StreamsEndpoints
{
    /// <summary>Sent at once, out of one read transaction.</summary>
    internal const int PieceBytes = 256 * 1024;

    internal const string JsonLines = "application/x-ndjson; charset=utf-8";

    private const string Json = "application/json; charset=utf-8";

    public static void Map(Router router) => router.Database("GET", "/streams/docs", RequiredRight.DatabaseRead, StreamDocuments);

    internal static bool AsksForLines(RequestContext request) =>
        "jsonl".Equals(request.Query["format"], StringComparison.OrdinalIgnoreCase);

    private static async Task StreamDocuments(RequestContext request)
    {
        var database = request.Database();
        var lines = AsksForLines(request);
        var contentType = lines ? JsonLines : Json;
        // In id order also without a prefix: so a document that changes meanwhile is neither missed nor sent twice.
        var walk = PrefixWalk.FromQuery(request.Query, request.Query["startsWith"] ?? "");
        var first = true;
        if (!lines)
            request.Response.Write("{\"Results\":["u8);
        while (true)
        {
            using (var reader = database.OpenRead("GET /streams/docs"))
                walk.Read(reader, () => request.Response.Length < PieceBytes, Write);
            if (walk.IsAtEnd)
                break;
            await request.GoOnAsync(PieceBytes, contentType);
        }
        if (!lines)
            request.Response.Write("]}"u8);
        await request.EndPiecesAsync(contentType);

        void Write(in Document document)
        {
            if (!lines && !first)
                request.Response.Write((byte)',');
            first = false;
            DocumentJson.Write(document, request.Response);
            if (lines)
                request.Response.Write((byte)'\n');
        }
    }
}
