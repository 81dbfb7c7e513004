using System.Globalization;
using Jackdaw.Documents.Snapshots;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Endpoints.EventStreams;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Snapshots;

/// <summary>Snapshots: docs/snapshots.md, "HTTP".</summary>
internal static class SnapshotsEndpoints
{
    private const string ContentType = "application/octet-stream";

    public static void Map(Router router) =>
        router
            .Database("PUT", "/snapshots", RequiredRight.DatabaseReadWrite, MeantDatabase.Required(Put))
            .Database("GET", "/snapshots", RequiredRight.DatabaseRead, MeantDatabase.Required(Get))
            .Database("DELETE", "/snapshots", RequiredRight.DatabaseReadWrite, MeantDatabase.Required(Delete))
            .Database("GET", "/snapshots/list", RequiredRight.DatabaseRead, MeantDatabase.Required(SnapshotsPage.SendAsync));

    private static async Task Put(RequestContext request)
    {
        var database = request.Database();
        var snapshot = SnapshotQuery.New(request.Query, EventStreamsEndpoints.StreamId(request));
        await using (var load = new SnapshotLoad(database, request.Aborted))
        {
            await StreamedBody.ReadAsync(request, database.Limits.MaxSnapshotBytes, KnownSettings.MaxSnapshotMb, load.TakeAsync);
            await load.CompleteAsync(snapshot);
        }
        await request.SendEmptyAsync(StatusCodes.Status201Created);
    }

    private static async Task Get(RequestContext request)
    {
        var database = request.Database();
        var stream = EventStreamsEndpoints.StreamId(request);
        var response = request.Http.Response;
        response.Headers["Database-Id"] = database.IdText;
        using var download = await SnapshotDownload.OpenAsync(database, stream, SnapshotQuery.Criteria(request.Query));
        if (download is null)
        {
            await request.SendEmptyAsync(StatusCodes.Status204NoContent);
            return;
        }
        Describe(response, download.Snapshot);
        do await response.Body.WriteAsync(download.Piece, request.Aborted);
        while (download.ReadNext());
    }

    private static void Describe(HttpResponse response, in StoredSnapshot snapshot)
    {
        response.StatusCode = StatusCodes.Status200OK;
        response.ContentType = ContentType;
        response.ContentLength = snapshot.SizeBytes;
        var headers = response.Headers;
        headers["Snapshot-Number"] = snapshot.Number.ToString(CultureInfo.InvariantCulture);
        headers["Snapshot-Ticks"] = snapshot.Ticks.ToString(CultureInfo.InvariantCulture);
        headers["Snapshot-Serializer"] = snapshot.Serializer.ToString(CultureInfo.InvariantCulture);
        headers["Snapshot-Manifest"] = Uri.EscapeDataString(snapshot.Manifest);
    }

    private static async Task Delete(RequestContext request)
    {
        var database = request.Database();
        var stream = EventStreamsEndpoints.StreamId(request);
        var deletion = new DeleteSnapshotsOperation(database.Snapshots, stream, SnapshotQuery.Deletion(request.Query));
        long deleted = 0;
        while (true)
        {
            await database.SubmitAsync(deletion);
            deleted += deletion.Deleted;
            if (deletion.LeavesContent)
                database.Snapshots.NoteLeftover();
            if (!deletion.HasMore)
                break;
            deletion.GoOn();
        }
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteNumber("deleted"u8, deleted);
            json.WriteEndObject();
        });
    }
}
