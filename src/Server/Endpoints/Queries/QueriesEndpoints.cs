using System.Diagnostics;
using Jackdaw.Documents;
using Jackdaw.Indexing.Queries;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>Queries, as one answer or as a stream. What they can ask is the planner's business.</summary>
internal static class QueriesEndpoints
{
    public static void Map(Router router) =>
        router
            .Database("POST", "/queries", RequiredRight.DatabaseRead, request => AnswerAsync(request, Query))
            .Database("POST", "/streams/queries", RequiredRight.DatabaseRead, request => AnswerAsync(request, Stream));

    /// <summary>Answers a query of a missing index with 404 and no body, from which each client makes an exception of its own.</summary>
    private static async Task AnswerAsync(RequestContext request, RequestHandler query)
    {
        try
        {
            await query(request);
        }
        catch (IndexDoesNotExistException)
        {
            await request.SendEmptyAsync(StatusCodes.Status404NotFound);
        }
    }

    private static async Task Query(RequestContext request)
    {
        var started = Stopwatch.GetTimestamp();
        var debug = request.Query["debug"];
        if (!string.IsNullOrEmpty(debug) && debug is not ("explain" or "entries"))
            throw new FeatureNotSupportedException($"The parameter debug={debug} of a query");
        var (body, plan, wasRemembered) = await ReadAsync(request);
        if (debug == "explain")
        {
            await QueryExplanation.SendAsync(request, plan, wasRemembered);
            return;
        }
        using var execution = await QueryExecution.BeginAsync(request, body, plan);
        try
        {
            if (debug == "entries")
            {
                await EntriesAnswer.SendAsync(request, execution);
                return;
            }
            using var answer = new QueryAnswer(
                request,
                execution,
                mayBeCached: body.MayBeCached && plan is { DependsOnTime: false, Index: not { IsRandom: true } },
                started
            );
            await answer.SendAsync();
        }
        catch (OperationCanceledException) when (execution.Ended() is { } ended)
        {
            throw ended;
        }
    }

    /// <summary>All documents of a query as they are read. One that changes meanwhile may come again, in its new form.</summary>
    private static async Task Stream(RequestContext request)
    {
        var (body, plan, _) = await ReadAsync(request);
        if (plan.Includes.Count > 0)
            throw new FeatureNotSupportedException("include in a streamed query");
        using var execution = await QueryExecution.BeginAsync(request, body, plan, mayWait: false);
        try
        {
            using var stream = new QueryStream(request, execution);
            await stream.SendAsync();
        }
        catch (OperationCanceledException) when (execution.Ended() is { } ended)
        {
            throw ended;
        }
    }

    private static async Task<(QueryBody Body, QueryPlan Plan, bool WasRemembered)> ReadAsync(RequestContext request)
    {
        var database = request.Database();
        using var body = await RequestBody.ReadAsync(request);
        if (body.Bytes.Length > Limits.MaxQueryBodyBytes)
            throw new BadRequestException(
                $"The query and its parameters have {body.Bytes.Length:N0} bytes; the limit is {Limits.MaxQueryBodyBytes:N0} "
                    + "(Limits.MaxQueryBodyBytes). Ask for fewer ids at once."
            );
        return request.Server.PlannedQueries.Get(database.Id, body.Bytes, database.Clock);
    }
}
