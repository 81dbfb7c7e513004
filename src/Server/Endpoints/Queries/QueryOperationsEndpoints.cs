using System.Runtime.InteropServices;
using System.Text.Json;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Patching;
using Jackdaw.Indexing.Queries;
using Jackdaw.Indexing.Running;
using Jackdaw.Server.Endpoints.Patching;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>Patching and deleting what a query finds, as operations that run on after the answer.</summary>
internal static class QueryOperationsEndpoints
{
    public static void Map(Router router) =>
        router
            .Database("PATCH", "/queries", RequiredRight.DatabaseReadWrite, Patch)
            .Database("DELETE", "/queries", RequiredRight.DatabaseReadWrite, Delete);

    private static async Task Patch(RequestContext request)
    {
        var database = request.Database();
        using var body = await RequestBody.ReadAsync(request);
        using var json = PatchText.Parse(body.Bytes);
        var (query, parameters) = Read(json.RootElement);
        var plan = QueryPlanner.PlanUpdate(query, RqlParameters.From(parameters), database.Clock);
        var values = parameters.ValueKind == JsonValueKind.Object ? JsonMarshal.GetRawUtf8Value(parameters) : default;
        var patch = Jackdaw.Documents.Patching.Patch.Compile(request.Server.Scripts, plan.Script, values, database.Limits, plan.Alias);
        await StartAsync(request, plan.Documents, query, patch);
    }

    private static async Task Delete(RequestContext request)
    {
        var clock = request.Database().Clock;
        using var body = await RequestBody.ReadAsync(request);
        using var json = PatchText.Parse(body.Bytes);
        var (query, parameters) = Read(json.RootElement);
        await StartAsync(request, QueryPlanner.Plan(query, RqlParameters.From(parameters), clock), query, patch: null);
    }

    /// <summary>The query may stand in the body or, with options beside it, in a member of the same name.</summary>
    private static (string Query, JsonElement Parameters) Read(JsonElement body)
    {
        if (body.ValueKind == JsonValueKind.Object && body.TryGetProperty("Query", out var query))
        {
            if (query.ValueKind == JsonValueKind.Object)
                return Read(query);
            if (query.ValueKind == JsonValueKind.String)
            {
                if (body.TryGetProperty("QueryParameters", out var parameters))
                    JsonBody.RequireText(parameters);
                return (PatchText.TextOf(query), parameters);
            }
        }
        throw new BadRequestException("The body must be an object with a Query.");
    }

    private static Task StartAsync(RequestContext request, QueryPlan plan, string query, Patch? patch)
    {
        var server = request.Server;
        var database = request.Database();
        if (string.Equals(request.Query["details"], "true", StringComparison.OrdinalIgnoreCase))
            throw new FeatureNotSupportedException("details=true: the ids of what an operation has changed");
        long? mostPerSecond = string.IsNullOrEmpty(request.Query["maxOpsPerSec"]) ? null : request.Query.NonNegative("maxOpsPerSec", 1);
        if (mostPerSecond == 0)
            throw new BadRequestException("The parameter 'maxOpsPerSec' must be at least 1; leave it out for as fast as it goes.");
        // Refused at once when it is not there.
        var named = IndexChoice.Named(database, plan);
        if (EventsRoom.IsEvents(named is null ? plan.Collection : named.Definition.Collection))
            throw new EventsAreReadOnlyException($"The collection '{EventsRoom.Collection}'");
        var staleAnswers = StaleAnswers.From(request.Query);
        var operation = server.Operations.Begin(database.Id, new QueryProgress(query, 0, 0));
        server.Running.Start(operation, new QueryOperation(database, plan, query, patch, operation, mostPerSecond, staleAnswers).RunAsync);
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteNumber("OperationId", operation.Id);
            json.WriteString("OperationNodeTag", server.NodeTag);
            json.WriteEndObject();
        });
    }
}
