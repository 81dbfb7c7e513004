using System.Text.Json;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Patching;
using Jackdaw.Server.Endpoints.Patching;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Batches;

/// <summary>The batch of commands that a session saves: all of it or nothing.</summary>
internal static class BulkDocumentsEndpoints
{
    public static void Map(Router router) => router.Database("POST", "/bulk_docs", RequiredRight.DatabaseReadWrite, Post);

    private static async Task Post(RequestContext request)
    {
        var database = request.Database();
        RefuseReplicaWait(request);
        var wait = IndexWait.From(request.Query);
        wait?.RequireIndexes(database);
        if (request.Request.ContentType?.StartsWith("multipart/", StringComparison.OrdinalIgnoreCase) == true)
            throw new FeatureNotSupportedException("A batch with attachments");
        var batch = BatchOperation.Rent();
        var body = await RequestBody.ReadAsync(request);
        try
        {
            BatchBody.Parse(body.Bytes, batch, database.Limits, request.Server.Scripts);
            batch.Trace = request.Trace(database);
            if (batch.Commands.Count > 0)
                await database.SubmitAsync(batch);
            if (wait is not null)
                await wait.WaitAsync(request, batch);
            WriteResults(request.Json(), batch);
        }
        finally
        {
            batch.Return();
            body.Dispose();
        }
        await request.SendAsync(StatusCodes.Status201Created);
    }

    /// <summary>There is no replica to wait for; only a wait that would have to fail is refused, before anything is written.</summary>
    private static void RefuseReplicaWait(RequestContext request)
    {
        if (request.Query.Has("waitForReplicasTimeout") && request.Query.Flag("throwOnTimeoutInWaitForReplicas"))
            throw new FeatureNotSupportedException("Waiting for replicas (this server is the only node)");
    }

    private static void WriteResults(Utf8JsonWriter json, BatchOperation batch)
    {
        json.WriteStartObject();
        json.WriteStartArray("Results"u8);
        foreach (var command in batch.Commands)
        {
            json.WriteStartObject();
            switch (command)
            {
                case PutCommand put:
                    WritePut(json, put);
                    break;
                case DeleteCommand delete:
                    WriteDelete(json, delete);
                    break;
                case PatchCommand patch:
                    WritePatch(json, patch);
                    break;
                case BatchPatchCommand patches:
                    WriteBatchPatch(json, patches);
                    break;
                case TrackChangesCommand:
                    json.WriteString("Type"u8, "BatchTrackChanges"u8);
                    break;
                default:
                    throw new InvalidOperationException($"A {command.GetType().Name} has no result to write.");
            }
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteEndObject();
        json.Flush();
    }

    /// <summary>Every property but Type becomes metadata of the client's entity, so nothing but metadata may be here.</summary>
    private static void WritePut(Utf8JsonWriter json, PutCommand put)
    {
        Span<byte> date = stackalloc byte[ProtocolDate.Length];
        ProtocolDate.Format(put.LastModifiedTicks, date, withZ: false);
        json.WriteString("Type"u8, "PUT"u8);
        json.WriteString("@id"u8, put.Id);
        json.WriteString("@collection"u8, put.Collection);
        json.WriteString("@change-vector"u8, put.ChangeVector);
        json.WriteString("@last-modified"u8, date);
        if (put.Flags != DocumentFlags.None)
            json.WriteString("@flags"u8, put.Flags.ToString());
    }

    private static void WritePatch(Utf8JsonWriter json, PatchCommand patch)
    {
        json.WriteString("Id"u8, patch.Id);
        json.WriteString("Type"u8, "PATCH"u8);
        json.WriteString("PatchStatus"u8, patch.Status.ToString());
        json.WriteString("ChangeVector"u8, patch.ChangeVector);
        if (patch.ChangeVector is null)
            json.WriteNull("LastModified"u8);
        else
            json.WriteString("LastModified"u8, ProtocolDate.ToText(patch.LastModifiedTicks, withZ: false));
        PatchEndpoints.WriteDebug(json, patch.Output, isWanted: false);
        if (patch.ReturnsModified)
            PatchEndpoints.WriteDocument(json, "ModifiedDocument", patch.ModifiedDocument);
    }

    private static void WriteBatchPatch(Utf8JsonWriter json, BatchPatchCommand patches)
    {
        json.WriteString("Type"u8, "BatchPATCH"u8);
        json.WriteStartArray("Results"u8);
        foreach (var patch in patches.Documents)
        {
            json.WriteStartObject();
            json.WriteString("Id"u8, patch.Id);
            json.WriteString("PatchStatus"u8, patch.Status.ToString());
            json.WriteString("ChangeVector"u8, patch.ChangeVector);
            json.WriteEndObject();
        }
        json.WriteEndArray();
    }

    private static void WriteDelete(Utf8JsonWriter json, DeleteCommand delete)
    {
        json.WriteString("Id"u8, delete.Id);
        json.WriteString("Type"u8, "DELETE"u8);
        json.WriteBoolean("Deleted"u8, delete.DeletedCount > 0);
        if (delete.ChangeVector.Length > 0)
            json.WriteString("ChangeVector"u8, delete.ChangeVector);
    }
}
