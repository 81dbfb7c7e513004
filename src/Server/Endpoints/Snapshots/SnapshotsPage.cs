using Jackdaw.Documents;
using Jackdaw.Documents.Snapshots;
using Jackdaw.Server.Endpoints.EventStreams;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Snapshots;

/// <summary>Answers with what snapshots a stream has, the highest number first, a short read transaction for each piece.</summary>
internal static class SnapshotsPage
{
    private const int PieceBytes = 1024 * 1024;

    public static async Task SendAsync(RequestContext request)
    {
        var database = request.Database();
        var stream = EventStreamsEndpoints.StreamId(request);
        var criteria = SnapshotQuery.Criteria(request.Query);
        var toTake = request.Query.NonNegative("max", Limits.DefaultSnapshotsPerAnswer);
        var json = request.Json();
        json.WriteStartObject();
        json.WriteString("databaseId"u8, database.IdText);
        json.WriteStartArray("snapshots"u8);
        long? next = criteria.MaxNumber;
        while (toTake > 0)
        {
            using (var reader = database.OpenRead("GET /snapshots/list"))
                next = new SnapshotsReader(reader).Descend(stream, criteria with { MaxNumber = next.Value }, Take);
            json.Flush();
            if (next is null || toTake == 0)
                break;
            await request.GoOnAsync(PieceBytes);
        }
        json.WriteEndArray();
        json.WriteBoolean("isEnd"u8, next is null);
        json.WriteEndObject();
        json.Flush();
        await request.EndPiecesAsync();

        bool Take(in StoredSnapshot snapshot)
        {
            json.WriteStartObject();
            json.WriteNumber("number"u8, snapshot.Number);
            json.WriteString("ticks"u8, snapshot.Ticks.ToString(System.Globalization.CultureInfo.InvariantCulture));
            json.WriteNumber("size"u8, snapshot.SizeBytes);
            json.WriteNumber("serializer"u8, snapshot.Serializer);
            json.WriteString("manifest"u8, snapshot.Manifest);
            json.WriteEndObject();
            toTake--;
            return toTake > 0 && request.Response.Length + json.BytesPending < PieceBytes;
        }
    }
}
