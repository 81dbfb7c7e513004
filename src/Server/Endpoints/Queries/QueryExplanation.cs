using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Queries;
using Jackdaw.Indexing.Running;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>The answer to a query with <c>debug=explain</c>: which index would answer and why, why the others would not, how the index
/// would find the answer, and whether the plan is remembered. No index is made.</summary>
internal static class QueryExplanation
{
    public static async Task SendAsync(RequestContext request, QueryPlan plan, bool wasRemembered)
    {
        var database = request.Database();
        var choice = IndexChoice.Find(database, plan);
        plan = choice.Answering(plan);
        var search = choice.Index is null ? null : await SearchAsync(request, database, plan, choice);
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Results");
            Write(json, Name(plan, choice), choice.IsNew ? $"{choice.Reason} It would be made." : choice.Reason);
            foreach (var (index, reason) in choice.Others(database, plan))
                Write(json, index, reason);
            json.WriteEndArray();
            json.WriteString("Plan", plan.ToString());
            json.WriteBoolean("IsPlanRemembered", wasRemembered);
            json.WriteString("Search", search);
            json.WriteEndObject();
        });
    }

    private static string Name(QueryPlan plan, IndexChoice choice) =>
        choice.Index?.Name ?? (plan.Index is { } asked ? AutoIndexDefinitions.Name(asked.Wanted) : plan.CollectionName);

    /// <summary>Asks for one result, which is enough to see how it is found.</summary>
    private static async Task<string?> SearchAsync(RequestContext request, Database database, QueryPlan plan, IndexChoice choice)
    {
        using var running = request.Server.Queries.Begin(database, plan.ToString(), request.Aborted);
        using var reading = new QueryReading(
            plan with
            {
                Take = 1,
                Projection = null,
                Script = null,
                Filter = null,
                IsDistinct = false,
            },
            scripts: null,
            running.Cancellation
        );
        try
        {
            using var moment = await QueryMoment.OpenAsync(database, choice.Index, "POST /queries?debug=explain", running.Cancellation);
            reading.Begin(moment);
            var explanation = reading.Explanation;
            reading.End();
            return explanation;
        }
        catch (OperationCanceledException) when (running.Ended() is { } ended)
        {
            throw ended;
        }
    }

    private static void Write(Utf8JsonWriter json, string index, string reason)
    {
        json.WriteStartObject();
        json.WriteString("Index", index);
        json.WriteString("Reason", reason);
        json.WriteEndObject();
    }
}
