using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing;
using Jackdaw.Indexing.Queries;
using Jackdaw.Server.Http;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>Queries, as one answer or as a stream. What they can ask is the planner's business.</summary>
internal static class QueriesEndpoints
{
    /// <summary>Gathered before a piece of an answer is sent.</summary>
    private const int PieceBytes = 1024 * 1024;

    private const string Purpose = "POST /queries";

    private const string NoDate = "0001-01-01T00:00:00.0000000";

    public static void Map(Router router) =>
        router
            .Database("POST", "/queries", request => AnswerAsync(request, Query))
            .Database("POST", "/streams/queries", request => AnswerAsync(request, Stream));

    /// <summary>Answers a query of a missing index with 404 and no body, from which each client makes an exception of its own.</summary>
    private static async Task AnswerAsync(RequestContext request, RequestHandler query)
    {
        try
        {
            await query(request);
        }
        catch (IndexDoesNotExistException)
        {
            await request.SendEmptyAsync(StatusCodes.Status404NotFound);
        }
    }

    private static async Task Query(RequestContext request)
    {
        var started = Stopwatch.GetTimestamp();
        var database = request.Database();
        if (!string.IsNullOrEmpty(request.Query["debug"]))
            throw new FeatureNotSupportedException($"The parameter debug={request.Query["debug"]} of a query");
        var (body, result) = await ReadAsync(request);
        long? etag = null;
        var header = "";
        while (!result.IsAtEnd)
        {
            if (etag is not null)
                await request.GoOnAsync(PieceBytes);
            bool isWhole;
            using (var reader = database.OpenRead(Purpose))
            {
                var isFirst = etag is null;
                etag ??= QueryResult.Etag(reader, database);
                header = $"\"{etag.Value.ToString(CultureInfo.InvariantCulture)}\"";
                if (isFirst && body.MayBeCached && request.IsNotModified(header))
                {
                    request.Http.Response.Headers.ETag = header;
                    await request.SendEmptyAsync(StatusCodes.Status304NotModified);
                    return;
                }
                isWhole =
                    WriteNext(reader, request, result, started)
                    && isFirst
                    && result.Included.WriteNext(reader, request.Response, PieceBytes);
            }
            if (!isWhole)
                continue;
            WriteTail(request, etag.Value);
            if (body.MayBeCached)
                request.Http.Response.Headers.ETag = header;
            await request.SendAsync(StatusCodes.Status200OK);
            return;
        }
        // Of several moments: no ETag. ResultEtag is that of the first, since when nothing was left out.
        await result.Included.WriteRestAsync(request, database);
        WriteTail(request, etag!.Value);
        await request.EndPiecesAsync();
    }

    /// <summary>Counts, then the head, then results; true when all results are written.</summary>
    private static bool WriteNext(DocumentsReader reader, RequestContext request, QueryResult result, long started)
    {
        var isCounted = result.Total is not null;
        if (!result.Count(reader))
            return false;
        if (!isCounted)
            WriteHead(request, result, result.Total!.Value, started);
        result.WriteNext(reader, request, ","u8, [], [], PieceBytes);
        return result.IsAtEnd;
    }

    /// <summary>All documents of a query as they are read. One that changes meanwhile may come again, in its new form.</summary>
    private static async Task Stream(RequestContext request)
    {
        var database = request.Database();
        var (_, result) = await ReadAsync(request);
        if (result.Included.Paths.Count > 0)
            throw new FeatureNotSupportedException("include in a streamed query");
        var lines = StreamsEndpoints.AsksForLines(request);
        var contentType = lines ? StreamsEndpoints.JsonLines : "application/json; charset=utf-8";
        long? etag = null;
        while (!result.IsAtEnd)
        {
            if (etag is not null)
                await request.GoOnAsync(StreamsEndpoints.PieceBytes, contentType);
            using var reader = database.OpenRead("POST /streams/queries");
            etag ??= QueryResult.Etag(reader, database);
            var isCounted = result.Total is not null;
            if (!result.Count(reader))
                continue;
            if (!isCounted)
                WriteStreamHead(request, result, etag.Value, result.Total!.Value, lines);
            WritePiece(reader);
        }
        if (!lines)
            request.Response.Write("]}"u8);
        await request.EndPiecesAsync(contentType);

        void WritePiece(DocumentsReader reader)
        {
            if (lines)
                result.WriteNext(reader, request, [], "{\"Item\":"u8, "}\n"u8, StreamsEndpoints.PieceBytes);
            else
                result.WriteNext(reader, request, ","u8, [], [], StreamsEndpoints.PieceBytes);
        }
    }

    private static async Task<(QueryBody Body, QueryResult Result)> ReadAsync(RequestContext request)
    {
        QueryBody body;
        using (var bytes = await RequestBody.ReadAsync(request))
        {
            if (bytes.Bytes.Length > Limits.MaxQueryBodyBytes)
                throw new BadRequestException(
                    $"The query and its parameters have {bytes.Bytes.Length:N0} bytes; the limit is {Limits.MaxQueryBodyBytes:N0} "
                        + "(Limits.MaxQueryBodyBytes). Ask for fewer ids at once."
                );
            body = QueryBody.Parse(bytes.Bytes);
        }
        return (body, new QueryResult(body.Page(QueryPlanner.Plan(body.Query, body.Parameters)), request.Query.Flag("metadataOnly")));
    }

    /// <summary>The order of the properties is part of the protocol: some clients read them as a stream.</summary>
    private static void WriteHead(RequestContext request, QueryResult result, long total, long started)
    {
        var json = request.Json();
        json.WriteStartObject();
        json.WriteNumber("TotalResults", Math.Min(total, int.MaxValue));
        json.WriteNumber("LongTotalResults", total);
        json.WriteNumber("SkippedResults", 0);
        json.WriteNumber("DurationInMs", (long)Stopwatch.GetElapsedTime(started).TotalMilliseconds);
        if (result.Included.Paths.Count == 0)
            json.WriteNull("IncludedPaths");
        else
        {
            json.WriteStartArray("IncludedPaths");
            foreach (var path in result.Included.Paths)
                json.WriteStringValue(path.Text);
            json.WriteEndArray();
        }
        json.WriteString("IndexName", result.IndexName);
        json.WriteStartArray("Results");
        json.Flush();
    }

    private static void WriteTail(RequestContext request, long etag)
    {
        request.Response.Write(",\"IndexTimestamp\":\""u8);
        request.Response.Write(
            System.Text.Encoding.ASCII.GetBytes(
                $"{NoDate}\",\"LastQueryTime\":\"{ProtocolDate.ToText(DateTime.UtcNow.Ticks, withZ: false)}\","
                    + $"\"IsStale\":false,\"ResultEtag\":{etag},\"NodeTag\":\"{request.Server.NodeTag}\"}}"
            )
        );
    }

    private static void WriteStreamHead(RequestContext request, QueryResult result, long etag, long total, bool lines)
    {
        var json = request.Json();
        json.WriteStartObject();
        if (lines)
            json.WriteStartObject("Stats");
        json.WriteNumber("ResultEtag", etag);
        json.WriteBoolean("IsStale", false);
        json.WriteString("IndexName", result.IndexName);
        json.WriteNumber("TotalResults", total);
        json.WriteString("IndexTimestamp", NoDate);
        if (lines)
        {
            json.WriteEndObject();
            json.WriteEndObject();
        }
        else
            json.WriteStartArray("Results");
        json.Flush();
        if (lines)
            request.Response.Write((byte)'\n');
    }
}
