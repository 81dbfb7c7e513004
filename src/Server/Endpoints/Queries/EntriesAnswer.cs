using Jackdaw.Indexing.Running;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>The answer to a query with <c>debug=entries</c>: what the index holds of each match, in place of the documents.</summary>
internal static class EntriesAnswer
{
    public static async Task SendAsync(RequestContext request, QueryExecution execution)
    {
        if (execution.Plan.Index is null)
            throw new BadRequestException(
                $"The query reads '{execution.IndexName}' without an index: there are no entries to show (debug=entries)."
            );
        IndexEntries found;
        bool isStale;
        long etag;
        using (var moment = await execution.OpenAsync("POST /queries?debug=entries"))
        {
            etag = execution.ResultEtag(moment);
            isStale = execution.IsStale(moment);
            found = IndexEntries.Read(execution.Plan, moment, execution.Cancellation);
        }
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteNumber("TotalResults", Math.Min(found.Total, int.MaxValue));
            json.WriteNumber("LongTotalResults", found.Total);
            json.WriteNumber("SkippedResults", 0);
            json.WriteString("IndexName", execution.IndexName);
            json.WriteStartArray("Results");
            foreach (var entry in found.Entries)
            {
                json.WriteStartObject();
                foreach (var (field, terms) in entry)
                {
                    json.WriteStartArray(field);
                    foreach (var term in terms)
                        json.WriteStringValue(term);
                    json.WriteEndArray();
                }
                json.WriteEndObject();
            }
            json.WriteEndArray();
            json.WriteStartObject("Includes");
            json.WriteEndObject();
            json.WriteBoolean("IsStale", isStale);
            json.WriteNumber("ResultEtag", etag);
            json.WriteString("NodeTag", request.Server.NodeTag);
            json.WriteEndObject();
        });
    }
}
