using System.IO.Pipelines;
using Jackdaw.Documents;
using Jackdaw.Server.Endpoints.Operations;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace Jackdaw.Server.Endpoints.BulkInsert;

/// <summary>A load of many documents in one request that may last for hours.</summary>
internal static class BulkInsertEndpoints
{
    /// <summary>After so long without a byte, documents that have come are stored without waiting for a whole part.</summary>
    private static readonly TimeSpan Silence = TimeSpan.FromMilliseconds(50);

    public static void Map(Router router) => router.Database("POST", "/bulk_insert", RequiredRight.DatabaseReadWrite, Post);

    private static async Task Post(RequestContext request)
    {
        var database = request.Database();
        var skipsUnchanged = request.Query.Flag("skipOverwriteIfUnchanged");
        // The client may be silent for minutes: it sends heartbeats, and its kill is a request of its own.
        if (request.Http.Features.Get<IHttpMinRequestBodyDataRateFeature>() is { } rate)
            rate.MinDataRate = null;
        var operation = Begin(request, database.Id);
        try
        {
            await LoadAsync(request, database, operation, skipsUnchanged);
            operation.End(OperationStatus.Completed);
        }
        catch (OperationCanceledException e) when (operation.Killed.IsCancellationRequested)
        {
            operation.End(OperationStatus.Canceled);
            throw new BulkInsertAbortedException(operation.State.Progress.DocumentsProcessed, "it was killed", e);
        }
        catch (Exception e) when (e is BadHttpRequestException or IOException or InvalidDataException or OperationCanceledException)
        {
            var aborted = new BulkInsertAbortedException(
                operation.State.Progress.DocumentsProcessed,
                $"its body broke off ({e.Message})",
                e
            );
            operation.End(OperationStatus.Faulted, ErrorTranslation.Translate(aborted));
            throw aborted;
        }
        catch (Exception e)
        {
            operation.End(OperationStatus.Faulted, ErrorTranslation.Translate(e));
            throw;
        }
        await request.SendEmptyAsync(StatusCodes.Status201Created);
    }

    private static TrackedOperation Begin(RequestContext request, Guid databaseId)
    {
        var operations = request.Server.Operations;
        if (!request.Query.Has("id"))
            return operations.Begin(databaseId, BulkInsertProgress.None);
        var id = request.Query.NonNegative("id", 0);
        return operations.TryBegin(id, databaseId, BulkInsertProgress.None)
            ?? throw new BadRequestException($"The operation {id} is already in use; ask /operations/next-operation-id for another.");
    }

    private static async Task LoadAsync(RequestContext request, Database database, TrackedOperation operation, bool skipsUnchanged)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(operation.Killed, request.Aborted);
        await using var decompressing = BodyEncoding.Decompressing(request.Request);
        var reader = decompressing is null ? request.Request.BodyReader : PipeReader.Create(decompressing);
        await using var load = new BulkInsertLoad(database, operation, skipsUnchanged);
        while (true)
        {
            var read = await ReadAsync(reader, load, ended.Token);
            try
            {
                foreach (var segment in read.Buffer)
                    await load.FeedAsync(segment, ended.Token);
            }
            finally
            {
                // Also when it is refused: a read that is not ended makes Kestrel break the connection, perhaps before the client
                // has read why.
                reader.AdvanceTo(read.Buffer.End);
            }
            // Some clients end the body only after they have the answer: the end of the array is what counts.
            if (load.IsEnded || read.IsCompleted)
                break;
        }
        await load.FinishAsync(ended.Token);
    }

    /// <summary>Reads on; when nothing comes for a while, what has come is stored, and counted, meanwhile.</summary>
    internal static async ValueTask<ReadResult> ReadAsync(PipeReader reader, BulkInsertLoad load, CancellationToken cancellation)
    {
        var reading = reader.ReadAsync(cancellation);
        if (reading.IsCompleted || load.IsIdle)
            return await reading;
        var arrival = reading.AsTask();
        if (await Task.WhenAny(arrival, Task.Delay(Silence, CancellationToken.None)) != arrival)
        {
            try
            {
                await load.PauseAsync(cancellation);
            }
            catch
            {
                await EndReadAsync(reader, arrival);
                throw;
            }
        }
        return await arrival;
    }

    /// <summary>The load has failed: the refusal is answered with no read of the body in flight, and none unended.</summary>
    private static async Task EndReadAsync(PipeReader reader, Task<ReadResult> arrival)
    {
        reader.CancelPendingRead();
        try
        {
            var read = await arrival;
            reader.AdvanceTo(read.Buffer.End);
        }
        catch (Exception e) when (e is IOException or InvalidDataException or OperationCanceledException)
        {
            // The body broke off at the same time: what the load failed of says more.
        }
    }
}
