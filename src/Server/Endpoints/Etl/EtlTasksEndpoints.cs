using System.Text.Json;
using Jackdaw.Etl;
using Jackdaw.Etl.Configuration;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Etl;

/// <summary>
/// Tasks and connection strings in full, with the sinks that the protocol has no name for. See docs/etl.md, "Operating tasks".
/// Secrets go in and never come out.
/// </summary>
internal static class EtlTasksEndpoints
{
    public static void Map(Router router) =>
        router
            .Database("GET", "/etl/tasks", RequiredRight.DatabaseAdmin, List)
            .Database("PUT", "/etl/tasks", RequiredRight.DatabaseAdmin, Put)
            .Database("DELETE", "/etl/tasks", RequiredRight.DatabaseAdmin, Delete)
            .Database("GET", "/etl/connections", RequiredRight.DatabaseAdmin, ListConnections)
            .Database("PUT", "/etl/connections", RequiredRight.DatabaseAdmin, PutConnection)
            .Database("DELETE", "/etl/connections", RequiredRight.DatabaseAdmin, DeleteConnection);

    /// <summary>All, or the one that the query names by <c>id</c>.</summary>
    private static Task List(RequestContext request)
    {
        var tasks = request.EtlTasks();
        long? only = request.Query["id"] is { Length: > 0 } ? request.TaskId("id") : null;
        var states = tasks.Summaries().ToDictionary(task => task.Id);
        var connections = tasks.Connections().ToDictionary(connection => connection.Name, StringComparer.OrdinalIgnoreCase);
        var found = tasks
            .Definitions()
            .Where(task => (only is null || task.Configuration.Id == only) && states.ContainsKey(task.Configuration.Id))
            .ToArray();
        if (only is { } id && found.Length == 0)
            throw EtlRequests.NoTask(id);
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Tasks");
            foreach (var task in found)
                Write(json, task, states[task.Configuration.Id], connections.GetValueOrDefault(task.ConnectionStringName));
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static async Task Put(RequestContext request)
    {
        using var body = await RequestBody.ReadAsync(request);
        long? known = request.Query["id"] is { Length: > 0 } ? request.TaskId("id") : null;
        var id = await request.EtlTasks().PutTaskAsync(body.Bytes, known);
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteNumber("TaskId", id);
            json.WriteEndObject();
        });
    }

    private static async Task Delete(RequestContext request)
    {
        var id = request.TaskId("id");
        var removal = await request.EtlTasks().RemoveTaskAsync(id) ?? throw EtlRequests.NoTask(id);
        if (removal.Remains is not { } remains)
        {
            await request.SendEmptyAsync(StatusCodes.Status204NoContent);
            return;
        }
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteString("Remains", remains);
            json.WriteEndObject();
        });
    }

    /// <summary>All, or the one that the query names by <c>name</c>.</summary>
    private static Task ListConnections(RequestContext request)
    {
        var name = request.Query["name"];
        var found = request
            .EtlTasks()
            .Connections()
            .Where(connection => string.IsNullOrEmpty(name) || connection.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
            .ToArray();
        if (!string.IsNullOrEmpty(name) && found.Length == 0)
            throw NoConnection(name);
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Connections");
            foreach (var connection in found)
                Write(json, connection);
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static async Task PutConnection(RequestContext request)
    {
        using var body = await RequestBody.ReadAsync(request);
        var tasks = request.EtlTasks();
        if (await request.LendAsync(lends => tasks.PutConnectionAsync(body.Bytes, lends)) is not { } warning)
        {
            await request.SendEmptyAsync(StatusCodes.Status204NoContent);
            return;
        }
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteString("Warning", warning);
            json.WriteEndObject();
        });
    }

    private static async Task DeleteConnection(RequestContext request)
    {
        var name = request.Query.Required("name");
        if (!await request.EtlTasks().RemoveConnectionAsync(name))
            throw NoConnection(name);
        await request.SendEmptyAsync(StatusCodes.Status204NoContent);
    }

    private static BadRequestException NoConnection(string name) => new($"There is no connection string named '{name}'.");

    private static void Write(Utf8JsonWriter json, TaskDefinition task, EtlTaskSummary summary, ConnectionString? connection)
    {
        json.WriteStartObject();
        json.WriteNumber("TaskId", summary.Id);
        json.WriteString("TaskName", summary.Name);
        json.WriteString("Sink", task.Sink);
        json.WriteBoolean("Disabled", task.Configuration.Disabled);
        json.WriteString("State", summary.State.ToString());
        json.WriteString("Reason", summary.Reason);
        json.WriteString("Since", summary.Since.UtcDateTime);
        json.WriteInstant("NextTry", summary.NextTry);
        json.WritePropertyName("Connection");
        if (connection is null)
            json.WriteNullValue();
        else
            Write(json, connection);
        json.WritePropertyName("Configuration");
        WriteWithSink(json, task.Object(), task.Sink, "EtlType");
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, ConnectionString connection) =>
        WriteWithSink(json, connection.Masked(), connection.Sink, "Type");

    /// <summary>The name in the place of what the protocol says: so it may be written back.</summary>
    private static void WriteWithSink(Utf8JsonWriter json, System.Text.Json.Nodes.JsonObject members, string sink, string typeMember)
    {
        members.Remove("BrokerType");
        members.Remove(typeMember);
        members.Remove("Sink");
        members.Insert(0, "Sink", sink);
        members.WriteTo(json);
    }
}
