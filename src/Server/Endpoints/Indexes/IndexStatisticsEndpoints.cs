using Jackdaw.Indexing.Processes;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Indexes;

/// <summary>What indexes have done, how far they are, and what went wrong.</summary>
internal static class IndexStatisticsEndpoints
{
    public static void Map(Router router) =>
        router
            .Database("GET", "/indexes/stats", RequiredRight.DatabaseRead, Statistics)
            .Database("GET", "/indexes/staleness", RequiredRight.DatabaseRead, Staleness)
            .Database("GET", "/indexes/progress", RequiredRight.DatabaseRead, Progress)
            .Database("GET", "/indexes/performance", RequiredRight.DatabaseRead, Performance)
            .Database("GET", "/indexes/status", RequiredRight.DatabaseRead, Status)
            .Database("GET", "/indexes/errors", RequiredRight.DatabaseRead, Errors)
            .Database("DELETE", "/indexes/errors", RequiredRight.DatabaseReadWrite, ForgetErrors);

    private static async Task Statistics(RequestContext request)
    {
        var statistics = await StatisticsOfAsync(request);
        var engine = SearchEngineSetting.Of(request.Record(request.DatabaseName));
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Results");
            foreach (var one in statistics)
                IndexStatisticsJson.Write(json, one, engine);
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static async Task<List<IndexStatistics>> StatisticsOfAsync(RequestContext request)
    {
        var statistics = new List<IndexStatistics>();
        foreach (var index in request.NamedIndexes())
            statistics.Add(await index.StatisticsAsync(request.Aborted));
        return statistics;
    }

    private static async Task Staleness(RequestContext request)
    {
        var statistics = await request.RequiredIndex().StatisticsAsync(request.Aborted);
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteBoolean("IsStale", statistics.IsStale);
            json.WriteStartArray("StalenessReasons");
            if (statistics.IsStale)
                foreach (var reason in Reasons(statistics))
                    json.WriteStringValue(reason);
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static IEnumerable<string> Reasons(IndexStatistics statistics)
    {
        if (statistics.Status != IndexRunStatus.Running)
            yield return $"The index is {statistics.Status}.";
        foreach (var lag in statistics.Collections)
        {
            if (lag.DocumentLag.Count > 0)
                yield return $"{About(lag.DocumentLag.IsExact)}{lag.DocumentLag.Count:N0} documents of '{lag.Collection}' above the etag "
                    + $"{lag.LastProcessedDocumentEtag} are not indexed yet.";
            if (lag.TombstoneLag.Count > 0)
                yield return $"{About(lag.TombstoneLag.IsExact)}{lag.TombstoneLag.Count:N0} deletions of '{lag.Collection}' above the etag "
                    + $"{lag.LastProcessedTombstoneEtag} are not indexed yet.";
        }
    }

    private static string About(bool isExact) => isExact ? "" : "About ";

    private static async Task Progress(RequestContext request)
    {
        var statistics = await StatisticsOfAsync(request);
        var collections = request.Database().Statistics().Collections;
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Results");
            foreach (var one in statistics)
                IndexStatisticsJson.WriteProgress(json, one, collections);
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static Task Performance(RequestContext request)
    {
        var indexes = request.NamedIndexes();
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Results");
            foreach (var index in indexes)
                IndexStatisticsJson.WritePerformance(json, index);
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static Task Status(RequestContext request)
    {
        var indexes = request.Indexes();
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteString("Status", (indexes.IsPaused ? IndexRunStatus.Paused : IndexRunStatus.Running).ToString());
            json.WriteStartArray("Indexes");
            foreach (var index in indexes.All)
            {
                json.WriteStartObject();
                json.WriteString("Name", index.Name);
                json.WriteString("Status", index.Status.ToString());
                json.WriteEndObject();
            }
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static Task Errors(RequestContext request)
    {
        var indexes = request.NamedIndexes();
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Results");
            foreach (var index in indexes)
            {
                json.WriteStartObject();
                json.WriteString("Name", index.Name);
                json.WriteStartArray("Errors");
                foreach (var error in index.Errors())
                {
                    json.WriteStartObject();
                    json.WriteString("Error", error.Message);
                    IndexStatisticsJson.WriteTime(json, "Timestamp", error.AtTicks);
                    json.WriteString("Document", error.Document);
                    json.WriteString("Action", error.Action);
                    json.WriteEndObject();
                }
                json.WriteEndArray();
                json.WriteEndObject();
            }
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static Task ForgetErrors(RequestContext request)
    {
        foreach (var index in request.NamedIndexes())
            index.ClearErrors();
        return request.SendEmptyAsync(StatusCodes.Status204NoContent);
    }
}
