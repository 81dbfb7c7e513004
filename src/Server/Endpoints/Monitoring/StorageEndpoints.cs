using System.Text.Json;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Statistics;

namespace Jackdaw.Server.Endpoints.Monitoring;

/// <summary>What the engine under a database is doing: positions, scratch, readers, and every I/O by kind.</summary>
internal static class StorageEndpoints
{
    public static void Map(Router router) =>
        router.Database(
            "GET",
            "/debug/storage",
            RequiredRight.DatabaseRead,
            request =>
            {
                var database = request.Database();
                var statistics = database.StorageStatistics();
                var kinds = database.IoStatistics.Snapshot();
                return request.SendJsonAsync(json =>
                {
                    json.WriteStartObject();
                    WriteEnvironment(json, statistics);
                    json.WriteStartArray("Io");
                    foreach (var kind in kinds)
                        WriteKind(json, kind);
                    json.WriteEndArray();
                    json.WriteEndObject();
                });
            }
        );

    private static void WriteEnvironment(Utf8JsonWriter json, EnvironmentStatistics statistics)
    {
        json.WriteNumber("DataFileBytes", statistics.DataFileBytes);
        json.WriteNumber("DurableTransaction", statistics.DurableTransaction);
        json.WriteNumber("FlushedTransaction", statistics.FlushedTransaction);
        json.WriteNumber("SyncedTransaction", statistics.SyncedTransaction);
        json.WriteNumber("PendingCommits", statistics.PendingCommits);
        json.WriteNumber("ScratchUsedBytes", statistics.ScratchUsedBytes);
        json.WriteNumber("ScratchAllocatedBytes", statistics.ScratchAllocatedBytes);
        json.WriteNumber("ScratchKeptBytes", statistics.ScratchKeptBytes);
        json.WriteNumber("ScratchLimitBytes", statistics.ScratchLimitBytes);
        json.WriteNumber("PageMapBytes", statistics.PageMapBytes);
        json.WriteNumber("JournalBytesAppended", statistics.JournalBytesAppended);
        json.WriteNumber("JournalRecords", statistics.JournalRecords);
        json.WriteNumber("JournalFiles", statistics.JournalFiles);
        json.WriteNumber("SpareJournalFiles", statistics.SpareJournalFiles);
        json.WriteNumber("SpareJournalFailures", statistics.SpareJournalFailures);
        json.WriteString("LastSpareJournalFailure", statistics.LastSpareJournalFailure);
        json.WriteNumber("Readers", statistics.Readers);
        json.WritePropertyName("OldestReader");
        WriteReader(json, statistics.OldestReader);
        json.WriteStartArray("LongReaders");
        foreach (var reader in statistics.LongReaders)
            WriteReader(json, reader);
        json.WriteEndArray();
        json.WriteString("Poison", statistics.Poison);
    }

    private static void WriteReader(Utf8JsonWriter json, ReaderStatistics? reader)
    {
        if (reader is null)
        {
            json.WriteNullValue();
            return;
        }
        json.WriteStartObject();
        json.WriteString("Purpose", reader.Purpose);
        json.WriteNumber("TransactionId", reader.TransactionId);
        json.WriteNumber("AgeInMs", reader.Age.TotalMilliseconds);
        json.WriteEndObject();
    }

    private static void WriteKind(Utf8JsonWriter json, IoKindStatistics kind)
    {
        json.WriteStartObject();
        json.WriteString("Kind", kind.Kind.ToString());
        json.WriteNumber("Count", kind.Count);
        json.WriteNumber("Failures", kind.Failures);
        json.WriteNumber("Bytes", kind.Bytes);
        json.WriteNumber("TimeInMs", kind.Time.TotalMilliseconds);
        json.WriteNumber("LongestInMs", kind.Longest.TotalMilliseconds);
        json.WriteNumber("MedianBelowMs", kind.Quantile(0.5).TotalMilliseconds);
        json.WriteNumber("P99BelowMs", kind.Quantile(0.99).TotalMilliseconds);
        json.WriteStartArray("CountByPowerOfTwoMicroseconds");
        foreach (var count in kind.Histogram)
            json.WriteNumberValue(count);
        json.WriteEndArray();
        json.WriteEndObject();
    }
}
