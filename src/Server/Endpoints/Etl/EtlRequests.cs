using System.Text.Json;
using Jackdaw.Etl;
using Jackdaw.Etl.Configuration;
using Jackdaw.Server.Endpoints.Operations;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Endpoints.Etl;

/// <summary>What the endpoints of tasks share.</summary>
internal static class EtlRequests
{
    /// <summary>The tasks of the request's database.</summary>
    public static EtlTasks EtlTasks(this RequestContext request) =>
        request.Database().Attached<EtlTasks>()
        ?? throw new InvalidOperationException("Tasks are attached to every database that is opened.");

    /// <summary>The task that the query names by <c>id</c>.</summary>
    public static long TaskId(this RequestContext request, string parameter)
    {
        request.Query.Required(parameter);
        return request.Query.NonNegative(parameter, 0);
    }

    /// <summary>Runs a change once, however often its request is sent.</summary>
    public static Task<T> RunOnceAsync<T>(this RequestContext request, string what, Func<Task<T>> change) =>
        request.Server.RepeatedRequests.RunOnceAsync(request.Query["raft-request-id"], $"{what} {request.Database().IdText}", change);

    /// <summary>Takes a connection string, which only an operator's may use what is the server's.</summary>
    /// <param name="request">Its client may be an operator.</param>
    /// <param name="take">Told whether the client may lend what is the server's.</param>
    /// <exception cref="AccessDeniedException">The connection string uses it, and the client is none.</exception>
    public static async Task<T> LendAsync<T>(this RequestContext request, Func<bool, Task<T>> take)
    {
        try
        {
            return await take(request.Access.IsOperator);
        }
        catch (BorrowingException e)
        {
            request.RequireOperator(e.Message);
            throw;
        }
    }

    /// <param name="request">Is answered.</param>
    /// <param name="warning">What was stored all the same and will not do; null: nothing.</param>
    public static Task SendRaftIndexAsync(this RequestContext request, string? warning = null) =>
        request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteNumber("RaftCommandIndex", request.RecordEtag());
            if (warning is not null)
                json.WriteString("Warning", warning);
            json.WriteEndObject();
        });

    /// <summary>Writes a moment, or null.</summary>
    public static void WriteInstant(this Utf8JsonWriter json, string name, DateTimeOffset? moment)
    {
        if (moment is { } known)
            json.WriteString(name, known.UtcDateTime);
        else
            json.WriteNull(name);
    }

    public static BadRequestException NoTask(long id) => new($"There is no task {id}.");
}
