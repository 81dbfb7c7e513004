using System.Globalization;
using System.Text.Json;
using Jackdaw.Etl;
using Jackdaw.Etl.Configuration;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Etl;

/// <summary>Operating tasks: what the protocol has no names for. See docs/etl.md, "Operating tasks".</summary>
internal static class EtlEndpoints
{
    public static void Map(Router router) =>
        router
            .Database("GET", "/etl/status", RequiredRight.DatabaseRead, Status)
            .Database(
                "POST",
                "/etl/pause",
                RequiredRight.DatabaseAdmin,
                request => OrderAsync(request, (tasks, id) => tasks.PauseAsync(id))
            )
            .Database(
                "POST",
                "/etl/resume",
                RequiredRight.DatabaseAdmin,
                request => OrderAsync(request, (tasks, id) => tasks.ResumeAsync(id))
            )
            .Database("POST", "/etl/position", RequiredRight.DatabaseAdmin, SetPosition)
            .Database("POST", "/etl/rate-limit", RequiredRight.DatabaseAdmin, SetRateLimit)
            .Database("POST", "/etl/connection-test", RequiredRight.DatabaseAdmin, TestConnection)
            .Database("POST", "/etl/test", RequiredRight.DatabaseAdmin, Test)
            .Database("DELETE", "/etl/gaps", RequiredRight.DatabaseAdmin, ForgetGaps);

    private static Task Status(RequestContext request)
    {
        var tasks = request.EtlTasks().List();
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Tasks");
            foreach (var task in tasks)
                Write(json, task.Status);
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static void Write(Utf8JsonWriter json, EtlTaskStatus status)
    {
        json.WriteStartObject();
        json.WriteNumber("TaskId", status.Id);
        json.WriteString("TaskName", status.Name);
        json.WriteString("State", status.State.ToString());
        json.WriteString("Reason", status.Reason);
        json.WriteInstant("NextTry", status.NextTry);
        json.WriteNumber("Messages", status.Messages);
        json.WriteNumber("Bytes", status.Bytes);
        json.WriteNumber("Batches", status.Batches);
        json.WriteNumber("Retries", status.Retries);
        json.WriteNumber("DeadLetters", status.DeadLetters);
        json.WriteStartArray("Transforms");
        foreach (var transform in status.Transforms)
        {
            json.WriteStartObject();
            json.WriteString("Name", transform.Name);
            json.WriteNumber("Etag", transform.Etag);
            json.WriteNumber("EtagsBehind", transform.EtagsBehind);
            json.WriteNumber("DocumentsBehind", transform.DocumentsBehind);
            json.WriteBoolean("IsEstimate", transform.IsEstimate);
            json.WriteNumber("SecondsBehind", transform.SecondsBehind);
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteEndObject();
    }

    /// <summary>Answered when the order is durable; it is carried out when the task comes to it.</summary>
    private static async Task OrderAsync(RequestContext request, Func<EtlTasks, long, Task<bool>> order)
    {
        var id = request.TaskId("id");
        if (!await order(request.EtlTasks(), id))
            throw EtlRequests.NoTask(id);
        await request.SendEmptyAsync(StatusCodes.Status204NoContent);
    }

    /// <summary>Outside of the promises: what lies between is sent again, or never.</summary>
    private static Task SetPosition(RequestContext request)
    {
        request.Query.Required("etag");
        var etag = request.Query.NonNegative("etag", 0);
        var transform = request.Query["transform"] is { Length: > 0 } named ? named : null;
        return OrderAsync(request, (tasks, id) => tasks.SetPositionAsync(id, transform, etag));
    }

    /// <summary>Kept with the task's configuration.</summary>
    private static Task SetRateLimit(RequestContext request) =>
        OrderAsync(
            request,
            (tasks, id) => tasks.SetRateLimitAsync(id, new RateLimit(Rate(request, "documents"), Rate(request, "messages")))
        );

    private static double? Rate(RequestContext request, string name)
    {
        var text = request.Query[name];
        if (string.IsNullOrEmpty(text))
            return null;
        if (!double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var rate))
            throw new BadRequestException($"The parameter '{name}' must be a number a second, not '{text}'.");
        return rate == 0 ? null : rate;
    }

    /// <summary>Of a stored connection string (<c>name</c>), or of the one in the body.</summary>
    private static async Task TestConnection(RequestContext request)
    {
        var tasks = request.EtlTasks();
        using var body = await RequestBody.ReadAsync(request);
        var result = request.Query["name"] is { Length: > 0 } name
            ? await tasks.TestConnectionAsync(name, request.Aborted)
            : await request.LendAsync(lends => tasks.TestConnectionAsync(body.Bytes, request.Aborted, lends));
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteBoolean("Success", result.Success);
            json.WriteString("Message", result.Success ? result.Message : null);
            json.WriteString("Error", result.Success ? null : result.Message);
            json.WriteEndObject();
        });
    }

    /// <summary>A script over stored documents, before it is saved: nothing is sent.</summary>
    private static async Task Test(RequestContext request)
    {
        using var body = await RequestBody.ReadAsync(request);
        var answer = await request.Server.Trials.RunAsync(request.Database(), body.Bytes);
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Results");
            foreach (var result in answer.Results)
            {
                json.WriteStartObject();
                json.WriteString("DocumentId", result.DocumentId);
                json.WriteString("ChangeVector", result.ChangeVector);
                json.WriteBoolean("IsDeletion", result.IsDeletion);
                json.WriteString("Error", result.Failure);
                json.WriteStartArray("Messages");
                foreach (var message in result.Messages)
                    json.WriteRawValue(message.Span, skipInputValidation: true);
                json.WriteEndArray();
                json.WriteEndObject();
            }
            json.WriteEndArray();
            json.WriteString("Notice", answer.Notice);
            json.WriteEndObject();
        });
    }

    /// <summary>The alert of deletions that were never sent has been seen.</summary>
    private static async Task ForgetGaps(RequestContext request)
    {
        await request.EtlTasks().ForgetGapsAsync(request.TaskId("id"));
        await request.SendEmptyAsync(StatusCodes.Status204NoContent);
    }
}
