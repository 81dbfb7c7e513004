using System.Text.Json;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Processes;
using Index = Jackdaw.Indexing.Processes.Index;

namespace Jackdaw.Server.Endpoints.Indexes;

/// <summary>What an index has done and how far it is, in the forms of the protocol.</summary>
internal static class IndexStatisticsJson
{
    /// <summary>Writes an entry of <c>/stats</c>.</summary>
    public static void WriteSummary(Utf8JsonWriter json, Index index, IndexStatistics? statistics)
    {
        json.WriteStartObject();
        json.WriteString("Name", index.Name);
        if (statistics is not null)
            json.WriteBoolean("IsStale", statistics.IsStale);
        json.WriteString("State", index.State.ToString());
        json.WriteString("LockMode", index.LockMode.ToString());
        json.WriteString("Priority", index.Priority.ToString());
        json.WriteString("Type", index.Type);
        json.WriteString("SourceType", "Documents");
        if (statistics is not null)
            WriteTime(json, "LastIndexingTime", statistics.LastIndexedAtTicks);
        json.WriteEndObject();
    }

    /// <summary>Writes an entry of <c>/indexes/stats</c>.</summary>
    /// <param name="json">Where to.</param>
    /// <param name="statistics">Of the index.</param>
    /// <param name="engine">The search engine that the database's settings name.</param>
    public static void Write(Utf8JsonWriter json, IndexStatistics statistics, string engine)
    {
        json.WriteStartObject();
        json.WriteString("Name", statistics.Name);
        json.WriteNumber("MapAttempts", statistics.MapAttempts);
        json.WriteNumber("MapSuccesses", statistics.MapAttempts - statistics.MapErrors);
        json.WriteNumber("MapErrors", statistics.MapErrors);
        // No automatic map refers to other documents, or reduces.
        foreach (var none in (ReadOnlySpan<string>)["MapReferenceAttempts", "MapReferenceSuccesses", "MapReferenceErrors"])
            json.WriteNumber(none, 0);
        foreach (var none in (ReadOnlySpan<string>)["ReduceAttempts", "ReduceSuccesses", "ReduceErrors", "ReduceOutputCollection"])
            json.WriteNull(none);
        json.WriteNumber("MappedPerSecondRate", Math.Round(statistics.MappedPerSecond, 2));
        json.WriteNumber("ReducedPerSecondRate", 0);
        json.WriteNumber("MaxNumberOfOutputsPerDocument", statistics.Entries > 0 ? 1 : 0);
        json.WriteStartObject("Collections");
        foreach (var lag in statistics.Collections)
        {
            json.WriteStartObject(lag.Collection);
            json.WriteNumber("LastProcessedDocumentEtag", lag.LastProcessedDocumentEtag);
            json.WriteNumber("LastProcessedTombstoneEtag", lag.LastProcessedTombstoneEtag);
            json.WriteNumber("DocumentLag", lag.DocumentLag.Count);
            json.WriteNumber("TombstoneLag", lag.TombstoneLag.Count);
            json.WriteEndObject();
        }
        json.WriteEndObject();
        WriteTime(json, "LastQueryingTime", statistics.LastQueriedAtTicks);
        json.WriteString("State", statistics.State.ToString());
        json.WriteString("Status", statistics.Status.ToString());
        json.WriteString("Priority", statistics.Priority.ToString());
        WriteTime(json, "CreatedTimestamp", statistics.CreatedAtTicks);
        WriteTime(json, "LastIndexingTime", statistics.LastIndexedAtTicks);
        json.WriteBoolean("IsStale", statistics.IsStale);
        json.WriteString("LockMode", statistics.LockMode.ToString());
        json.WriteString("Type", statistics.Type);
        json.WriteString("SearchEngineType", engine);
        json.WriteString("SourceType", "Documents");
        json.WriteNumber("EntriesCount", statistics.Entries);
        json.WriteNumber("ErrorsCount", statistics.ErrorsCount);
        json.WriteBoolean("IsInvalidIndex", false);
        json.WriteBoolean("IsTestIndex", false);
        json.WriteNumber("Deletions", statistics.Deletions);
        json.WriteNumber("Batches", statistics.Batches);
        json.WriteNumber("Position", statistics.Position);
        json.WriteNumber("DurablePosition", statistics.DurablePosition);
        json.WriteNumber("MemoryInBytes", statistics.MemoryBytes);
        json.WriteEndObject();
    }

    /// <summary>Writes an entry of <c>/indexes/progress</c>.</summary>
    /// <param name="json">Where to.</param>
    /// <param name="statistics">Of the index.</param>
    /// <param name="collections">Of its database.</param>
    public static void WriteProgress(Utf8JsonWriter json, IndexStatistics statistics, IReadOnlyList<CollectionStatistics> collections)
    {
        json.WriteStartObject();
        json.WriteString("Name", statistics.Name);
        json.WriteBoolean("IsStale", statistics.IsStale);
        json.WriteString("IndexRunningStatus", statistics.Status.ToString());
        json.WriteString("Type", statistics.Type);
        json.WriteString("SourceType", "Documents");
        json.WriteNumber("ProcessedPerSecond", Math.Round(statistics.MappedPerSecond, 2));
        json.WriteStartObject("Collections");
        foreach (var lag in statistics.Collections)
        {
            var its = collections
                .Where(collection =>
                    lag.Collection == "@all_docs" || collection.Name.Equals(lag.Collection, StringComparison.OrdinalIgnoreCase)
                )
                .ToList();
            json.WriteStartObject(lag.Collection);
            json.WriteNumber("LastProcessedItemEtag", lag.LastProcessedDocumentEtag);
            json.WriteNumber("LastProcessedTombstoneEtag", lag.LastProcessedTombstoneEtag);
            json.WriteNumber("NumberOfItemsToProcess", lag.DocumentLag.Count);
            json.WriteNumber("NumberOfTombstonesToProcess", lag.TombstoneLag.Count);
            json.WriteNumber("TotalNumberOfItems", its.Sum(collection => collection.DocumentCount));
            json.WriteNumber("TotalNumberOfTombstones", its.Sum(collection => collection.TombstoneCount));
            json.WriteEndObject();
        }
        json.WriteEndObject();
        json.WriteEndObject();
    }

    /// <summary>Writes an entry of <c>/indexes/performance</c>: the last batches.</summary>
    public static void WritePerformance(Utf8JsonWriter json, Index index)
    {
        json.WriteStartObject();
        json.WriteString("Name", index.Name);
        json.WriteStartArray("Performance");
        foreach (var batch in index.Batches())
        {
            var duration = batch.Mapping + batch.Applying;
            json.WriteStartObject();
            json.WriteNumber("Id", batch.Number);
            json.WriteString("Started", ProtocolDate.ToText(batch.StartedAtTicks, withZ: true));
            json.WriteString("Completed", ProtocolDate.ToText(batch.StartedAtTicks + duration.Ticks, withZ: true));
            json.WriteNumber("DurationInMs", Math.Round(duration.TotalMilliseconds, 3));
            json.WriteNumber("InputCount", batch.Documents + batch.Deletions);
            json.WriteNumber("SuccessCount", batch.Documents - batch.Failures);
            json.WriteNumber("FailedCount", batch.Failures);
            json.WriteNumber("OutputCount", batch.Documents - batch.Failures);
            json.WriteNumber("AllocatedBytes", batch.Bytes);
            json.WriteNumber("Position", batch.Position);
            json.WriteStartObject("Details");
            json.WriteString("Name", "Indexing");
            json.WriteNumber("DurationInMs", Math.Round(duration.TotalMilliseconds, 3));
            json.WriteStartArray("Operations");
            WriteStep(json, "Map", batch.Mapping);
            WriteStep(json, "Apply", batch.Applying);
            json.WriteEndArray();
            json.WriteEndObject();
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteEndObject();
    }

    /// <summary>Writes a time; null where there is none yet.</summary>
    public static void WriteTime(Utf8JsonWriter json, string name, long ticks)
    {
        if (ticks == 0)
            json.WriteNull(name);
        else
            json.WriteString(name, ProtocolDate.ToText(ticks, withZ: true));
    }

    private static void WriteStep(Utf8JsonWriter json, string name, TimeSpan time)
    {
        json.WriteStartObject();
        json.WriteString("Name", name);
        json.WriteNumber("DurationInMs", Math.Round(time.TotalMilliseconds, 3));
        json.WriteStartArray("Operations");
        json.WriteEndArray();
        json.WriteEndObject();
    }
}
