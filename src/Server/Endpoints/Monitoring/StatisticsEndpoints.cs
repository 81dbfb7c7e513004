using System.Globalization;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Indexing.Processes;
using Jackdaw.Server.Endpoints.Indexes;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Endpoints.Monitoring;

/// <summary>What a database holds, in the forms that clients and people ask for.</summary>
internal static class StatisticsEndpoints
{
    public static void Map(Router router) =>
        router
            .Database("GET", "/stats", RequiredRight.DatabaseRead, request => SendAsync(request, isDetailed: false))
            .Database("GET", "/stats/detailed", RequiredRight.DatabaseRead, request => SendAsync(request, isDetailed: true))
            .Database("GET", "/stats/essential", RequiredRight.DatabaseRead, SendEssential)
            .Database("GET", "/collections/stats", RequiredRight.DatabaseRead, SendCollections)
            .Database("GET", "/collections/stats/detailed", RequiredRight.DatabaseRead, SendDetailedCollections);

    private static async Task SendAsync(RequestContext request, bool isDetailed)
    {
        var database = request.Database();
        // Before the counts: an index is never told as fresher than the documents that are told with it.
        var indexes = new List<(Indexing.Processes.Index, IndexStatistics)>();
        foreach (var index in database.Attached<DatabaseIndexes>()?.All ?? [])
            indexes.Add((index, await index.StatisticsAsync(request.Aborted)));
        var statistics = database.Statistics();
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            WriteCounts(json, statistics, indexes.Count);
            json.WriteStartArray("StaleIndexes");
            foreach (var (index, its) in indexes)
                if (its.IsStale)
                    json.WriteStringValue(index.Name);
            json.WriteEndArray();
            json.WriteNumber("LastDocEtag", statistics.LastDocumentEtag);
            json.WriteNumber("LastDatabaseEtag", statistics.LastEtag);
            json.WriteString("DatabaseChangeVector", statistics.ChangeVector);
            json.WriteString("DatabaseId", database.IdText);
            WriteAncestors(json, database.Ancestors);
            json.WriteNumber("NumberOfTransactionMergerQueueOperations", statistics.WaitingOperations);
            json.WriteBoolean("Is64Bit", Environment.Is64BitProcess);
            json.WriteString("Pager", "Jackdaw.Storage");
            IndexStatisticsJson.WriteTime(
                json,
                "LastIndexingTime",
                indexes.Select(index => index.Item2.LastIndexedAtTicks).DefaultIfEmpty().Max()
            );
            WriteSize(json, "SizeOnDisk", statistics.DiskBytes);
            WriteSize(json, "TempBuffersSizeOnDisk", 0);
            json.WriteNumber("NumberOfTransactionMergerQueueBytes", statistics.WaitingBytes);
            if (isDetailed)
            {
                json.WriteNumber("CountOfIdentities", statistics.IdentityCount);
                json.WriteNumber("CountOfCompareExchange", 0);
                json.WriteNumber("CountOfCompareExchangeTombstones", 0);
                json.WriteNumber("CountOfTimeSeriesDeletedRanges", 0);
            }
            json.WriteStartArray("Indexes");
            foreach (var (index, its) in indexes)
                IndexStatisticsJson.WriteSummary(json, index, its);
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    /// <summary>The databases that this one is a copy of, the nearest first, each with the last etag that both have in common.</summary>
    private static void WriteAncestors(Utf8JsonWriter json, IReadOnlyList<DatabaseAncestor> ancestors)
    {
        json.WriteStartArray("Ancestors");
        foreach (var ancestor in ancestors)
        {
            json.WriteStartObject();
            json.WriteString("DatabaseId", ancestor.DatabaseIdText);
            json.WriteNumber("Etag", ancestor.ForkEtag);
            json.WriteEndObject();
        }
        json.WriteEndArray();
    }

    private static Task SendEssential(RequestContext request)
    {
        var database = request.Database();
        var indexes = database.Attached<DatabaseIndexes>()?.All ?? [];
        var statistics = database.Statistics();
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            WriteCounts(json, statistics, indexes.Count);
            json.WriteStartArray("Indexes");
            foreach (var index in indexes)
                IndexStatisticsJson.WriteSummary(json, index, statistics: null);
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static Task SendCollections(RequestContext request)
    {
        var statistics = request.Database().Statistics();
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteNumber("CountOfDocuments", statistics.DocumentCount);
            json.WriteNumber("CountOfConflicts", 0);
            json.WriteStartObject("Collections");
            foreach (var collection in statistics.Collections)
                if (collection.DocumentCount > 0)
                    json.WriteNumber(collection.Name, collection.DocumentCount);
            json.WriteEndObject();
            json.WriteEndObject();
        });
    }

    private static Task SendDetailedCollections(RequestContext request)
    {
        var statistics = request.Database().Statistics();
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteNumber("CountOfDocuments", statistics.DocumentCount);
            json.WriteNumber("CountOfConflicts", 0);
            json.WriteStartObject("Collections");
            foreach (var collection in statistics.Collections)
            {
                json.WriteStartObject(collection.Name);
                json.WriteString("Name", collection.Name);
                json.WriteNumber("CountOfDocuments", collection.DocumentCount);
                WriteSize(json, "Size", collection.DocumentBytes);
                WriteSize(json, "DocumentsSize", collection.DocumentBytes);
                WriteSize(json, "TombstonesSize", 0);
                WriteSize(json, "RevisionsSize", 0);
                json.WriteEndObject();
            }
            json.WriteEndObject();
            json.WriteEndObject();
        });
    }

    private static void WriteCounts(Utf8JsonWriter json, DatabaseStatistics statistics, int indexes)
    {
        json.WriteNumber("CountOfIndexes", indexes);
        json.WriteNumber("CountOfDocuments", statistics.DocumentCount);
        json.WriteNumber("CountOfRevisionDocuments", 0);
        json.WriteNumber("CountOfDocumentsConflicts", 0);
        json.WriteNumber("CountOfTombstones", statistics.TombstoneCount);
        json.WriteNumber("CountOfConflicts", 0);
        json.WriteNumber("CountOfAttachments", 0);
        json.WriteNumber("CountOfUniqueAttachments", 0);
        json.WriteNumber("CountOfCounterEntries", 0);
        json.WriteNumber("CountOfTimeSeriesSegments", 0);
    }

    private static void WriteSize(Utf8JsonWriter json, string name, long bytes)
    {
        json.WriteStartObject(name);
        json.WriteString("HumaneSize", Humane(bytes));
        json.WriteNumber("SizeInBytes", bytes);
        json.WriteEndObject();
    }

    private static string Humane(long bytes)
    {
        string[] units = ["Bytes", "KBytes", "MBytes", "GBytes", "TBytes"];
        double size = bytes;
        var unit = 0;
        for (; size >= 1024 && unit < units.Length - 1; unit++)
            size /= 1024;
        return string.Create(CultureInfo.InvariantCulture, $"{size:0.##} {units[unit]}");
    }
}
