using System.Text.Json;
using Jackdaw.Etl;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Etl;

/// <summary>Ongoing tasks as the protocol knows them; so far all are queue ETLs.</summary>
internal static class OngoingTasksEndpoints
{
    private const string QueueEtl = "QueueEtl";

    public static void Map(Router router) =>
        router
            .Database("PUT", "/admin/etl", RequiredRight.DatabaseAdmin, Put)
            .Database("RESET", "/admin/etl", RequiredRight.DatabaseAdmin, Reset)
            .Database("GET", "/task", RequiredRight.DatabaseRead, Get)
            .Database("POST", "/admin/tasks/state", RequiredRight.DatabaseAdmin, SetState)
            .Database("DELETE", "/admin/tasks", RequiredRight.DatabaseAdmin, Delete);

    private static async Task Put(RequestContext request)
    {
        using var body = await RequestBody.ReadAsync(request);
        var tasks = request.EtlTasks();
        long? known = request.Query["id"] is { Length: > 0 } ? request.TaskId("id") : null;
        var id = await request.RunOnceAsync("PUT task", () => tasks.PutTaskAsync(body.Bytes, known));
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteNumber("RaftCommandIndex", request.RecordEtag());
            json.WriteNumber("TaskId", id);
            json.WriteEndObject();
        });
    }

    /// <summary>Outside of the promises: everything is sent again.</summary>
    private static async Task Reset(RequestContext request)
    {
        var tasks = request.EtlTasks();
        var name = request.Query.Required("configurationName");
        var transform = request.Query.Required("transformationName");
        var task =
            tasks.Summaries().FirstOrDefault(task => task.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
            ?? throw new BadRequestException($"There is no task named '{name}'.");
        if (!await tasks.SetPositionAsync(task.Id, transform, 0))
            throw EtlRequests.NoTask(task.Id);
        await request.SendEmptyAsync(StatusCodes.Status204NoContent);
    }

    private static async Task Get(RequestContext request)
    {
        var type = request.Query.Required("type");
        var tasks = request.EtlTasks();
        var task =
            type != QueueEtl ? null
            : request.Query["taskName"] is { Length: > 0 } name ? tasks.List().FirstOrDefault(task => Is(task, name))
            : tasks.Find(request.TaskId("key"));
        if (task is null)
        {
            await request.SendEmptyAsync(StatusCodes.Status404NotFound);
            return;
        }
        var url = await request.Server.Url;
        await request.SendJsonAsync(json => Write(json, task, request.Server.NodeTag, url));
    }

    private static async Task SetState(RequestContext request)
    {
        var tasks = request.EtlTasks();
        // Clients that know the name only send it beside the key 0.
        RequireQueueEtl(request);
        var id = request.Query["taskName"] is { Length: > 0 } name
            ? tasks.List().FirstOrDefault(task => Is(task, name))?.Status.Id
                ?? throw new BadRequestException($"There is no task named '{name}'.")
            : request.TaskId("key");
        var disable = request.Query.Flag("disable");
        if (!await request.RunOnceAsync("task state", () => tasks.SetDisabledAsync(id, disable)))
            throw EtlRequests.NoTask(id);
        await SendChangedAsync(request, id);
    }

    private static async Task Delete(RequestContext request)
    {
        var tasks = request.EtlTasks();
        RequireQueueEtl(request);
        var id = request.TaskId("id");
        var removal = await request.RunOnceAsync("DELETE task", () => tasks.RemoveTaskAsync(id)) ?? throw EtlRequests.NoTask(id);
        await SendChangedAsync(request, id, removal.Remains);
    }

    /// <summary>Whoever means a backup must not meet the queue ETL that has its number.</summary>
    private static void RequireQueueEtl(RequestContext request)
    {
        var type = request.Query["type"];
        if (!string.IsNullOrEmpty(type) && !type.Equals(QueueEtl, StringComparison.OrdinalIgnoreCase))
            throw new FeatureNotSupportedException($"A task of type {type} (all tasks are of type {QueueEtl})");
    }

    private static bool Is(EtlTaskDescription task, string name) => task.Status.Name.Equals(name, StringComparison.OrdinalIgnoreCase);

    private static Task SendChangedAsync(RequestContext request, long id, string? remains = null) =>
        request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteNumber("TaskId", id);
            json.WriteNumber("RaftCommandIndex", request.RecordEtag());
            json.WriteString("ResponsibleNode", request.Server.NodeTag);
            if (remains is not null)
                json.WriteString("Remains", remains);
            json.WriteEndObject();
        });

    private static void Write(Utf8JsonWriter json, EtlTaskDescription task, string nodeTag, string url)
    {
        json.WriteStartObject();
        json.WriteNumber("TaskId", task.Status.Id);
        json.WriteString("TaskType", QueueEtl);
        json.WriteString("TaskName", task.Status.Name);
        json.WriteStartObject("ResponsibleNode");
        json.WriteString("NodeTag", nodeTag);
        json.WriteString("NodeUrl", url);
        json.WriteString("ResponsibleNode", nodeTag);
        json.WriteEndObject();
        json.WriteString("TaskState", task.Definition.Configuration.Disabled ? "Disabled" : "Enabled");
        json.WriteString("TaskConnectionStatus", ConnectionStatus(task.Status.State));
        json.WriteString("Error", task.Status.Reason);
        json.WriteNull("MentorNode");
        json.WriteBoolean("PinToMentorNode", false);
        json.WriteString("BrokerType", task.Definition.BrokerType.ToString());
        json.WriteString("ConnectionStringName", task.Definition.ConnectionStringName);
        json.WriteNull("Url");
        json.WritePropertyName("Configuration");
        task.Definition.Object().WriteTo(json);
        json.WriteEndObject();
    }

    private static string ConnectionStatus(EtlTaskState state) =>
        state switch
        {
            EtlTaskState.Running or EtlTaskState.Idle => "Active",
            EtlTaskState.Waiting => "Reconnect",
            _ => "NotActive",
        };
}
