using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.Errors;
using Jackdaw.Etl;
using Jackdaw.Indexing.Processes;
using Jackdaw.Server.Endpoints.Operations;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Databases;

/// <summary>Creating, deleting, listing, enabling and disabling databases.</summary>
internal static class DatabasesEndpoints
{
    public static void Map(Router router) =>
        router
            .Server("GET", "/databases", RequiredRight.Known, List)
            .Server("GET", "/admin/databases", RequiredRight.Known, Get)
            .Server("PUT", "/admin/databases", RequiredRight.Operator, Put)
            .Server("DELETE", "/admin/databases", RequiredRight.Operator, Delete)
            .Server("POST", "/admin/databases/enable", RequiredRight.Operator, request => SetDisabled(request, false))
            .Server("POST", "/admin/databases/disable", RequiredRight.Operator, request => SetDisabled(request, true))
            .Database(
                "GET",
                "/admin/record",
                RequiredRight.DatabaseAdmin,
                request => SendRecord(request, request.Record(request.DatabaseName))
            )
            .Database("PUT", "/admin/configuration/settings", RequiredRight.DatabaseAdmin, PutSettings);

    private static Task List(RequestContext request)
    {
        var start = request.Query.NonNegative("start", 0);
        var pageSize = request.Query.NonNegative("pageSize", long.MaxValue);
        var namesOnly = request.Query.Flag("namesOnly");
        var access = request.Access;
        var page = request
            .Server.Databases.List()
            .Where(record => access.May(record.Name, DatabaseRight.Read))
            .Skip((int)Math.Min(start, int.MaxValue))
            .Take((int)Math.Min(pageSize, int.MaxValue));
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Databases");
            foreach (var record in page)
            {
                if (namesOnly)
                {
                    json.WriteStringValue(record.Name);
                    continue;
                }
                json.WriteStartObject();
                json.WriteString("Name", record.Name);
                json.WriteBoolean("Disabled", record.Disabled);
                json.WriteEndObject();
            }
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static Task Get(RequestContext request)
    {
        var name = request.Query.Required("name");
        request.RequireDatabase(name, DatabaseRight.Admin);
        return request.Server.Databases.Record(name) is { } record
            ? SendRecord(request, record)
            : request.SendEmptyAsync(StatusCodes.Status404NotFound);
    }

    private static async Task SendRecord(RequestContext request, DatabaseRecord record)
    {
        await request.Server.Databases.OpenAsync(record.Name);
        var open = request.Server.Databases.TryGetOpen(record.Name);
        var (tasks, indexes) = (open?.Attached<EtlTasks>(), open?.Attached<DatabaseIndexes>());
        await request.SendJsonAsync(json => DatabaseRecordJson.Write(json, record, request.Server.NodeTag, open, tasks, indexes));
    }

    private static async Task Put(RequestContext request)
    {
        using var body = await RequestBody.ReadAsync(request);
        var given = DatabaseRecordJson.Read(body.Bytes, request.Server.NodeTag);
        var name = request.Query["name"] is { Length: > 0 } named ? named : given.Name ?? "";
        if (given.Name is not null && !given.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
            throw new BadRequestException($"The query names the database '{name}', the record '{given.Name}'.");
        if (request.Query.NonNegative("replicationFactor", 1) > 1)
            throw new BadRequestException("A replication factor above 1 needs other nodes; this server is the only one.");
        var databases = request.Server.Databases;
        // Of a record that replaces another they are left alone: they have routes of their own, and what a client read and writes
        // back is masked.
        var tasks = RecordTasks.Take(body.Bytes);
        var expiration = RecordExpiration.Take(body.Bytes);
        async Task FillAsync(Database database)
        {
            await tasks.PutAsync(
                database.Attached<EtlTasks>() ?? throw new InvalidOperationException("Tasks are attached to every database that is opened.")
            );
            await expiration.PutAsync(database);
        }
        async Task<DatabaseRecord> UpdateAsync(long expected)
        {
            // First, as the record may disable the database. One that another record has replaced is refused below.
            if (!expiration.IsEmpty && databases.Record(name) is { } current && current.Etag == expected)
                await expiration.PutAsync(
                    databases.TryGetOpen(name)
                        ?? throw new BadRequestException(
                            $"Expiration and Refresh of database '{name}' can be changed only while it is enabled. Nothing was changed."
                        )
                );
            return await databases.UpdateRecordAsync(name, given.Kept, expected, given.Disabled);
        }
        var expected = HeaderValues.RecordEtag(request.Request.Headers.ETag);
        var record = await request.Server.RepeatedRequests.RunOnceAsync(
            request.Query["raft-request-id"],
            $"PUT /admin/databases {name}",
            () =>
                expected > 0
                    ? UpdateAsync(expected)
                    : databases.CreateAsync(
                        name,
                        given.Kept,
                        tasks.IsEmpty && expiration.IsEmpty ? null : FillAsync,
                        given.Disabled ?? false
                    )
        );
        var url = await request.Server.Url;
        await request.SendJsonAsync(
            json =>
            {
                json.WriteStartObject();
                json.WriteNumber("RaftCommandIndex", record.Etag);
                json.WriteString("Name", record.Name);
                json.WritePropertyName("Topology");
                DatabaseRecordJson.WriteTopology(json, record, request.Server.NodeTag);
                json.WriteStartArray("NodesAddedTo");
                json.WriteStringValue(url);
                json.WriteEndArray();
                json.WriteBoolean("ShardsDefined", false);
                json.WriteEndObject();
            },
            StatusCodes.Status201Created
        );
    }

    private static async Task Delete(RequestContext request)
    {
        using var body = await RequestBody.ReadAsync(request);
        var asked = DatabaseNamesBody.Parse(body.Bytes);
        request.AuditSubject = string.Join(", ", asked.Names);
        if (asked.FromNodes.Count > 0 && !asked.FromNodes.Contains(request.Server.NodeTag, StringComparer.OrdinalIgnoreCase))
            throw new BadRequestException(
                $"FromNodes names {string.Join(", ", asked.FromNodes)}, and the only node is {request.Server.NodeTag}: nothing was deleted."
            );
        var index = await request.Server.RepeatedRequests.RunOnceAsync(
            request.Query["raft-request-id"],
            "DELETE /admin/databases",
            async () =>
            {
                // Whether it was there, is gone, or another request deletes it this moment: afterwards it is gone, as was asked for.
                foreach (var name in asked.Names)
                    await request.Server.Databases.DeleteAsync(name, asked.HardDelete);
                return request.Server.Databases.LastRecordEtag;
            }
        );
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteNumber("RaftCommandIndex", index);
            json.WriteStartArray("PendingDeletes");
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static async Task SetDisabled(RequestContext request, bool disabled)
    {
        using var body = await RequestBody.ReadAsync(request);
        var asked = DatabaseNamesBody.Parse(body.Bytes);
        request.AuditSubject = string.Join(", ", asked.Names);
        var reasons = new List<string?>();
        foreach (var name in asked.Names)
            reasons.Add(await SetDisabledAsync(request.Server.Databases, name, disabled));
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Status");
            for (var i = 0; i < reasons.Count; i++)
            {
                json.WriteStartObject();
                json.WriteString("Name", asked.Names[i]);
                json.WriteBoolean("Success", reasons[i] is null);
                json.WriteBoolean("Disabled", disabled);
                json.WriteString("Reason", reasons[i]);
                json.WriteEndObject();
            }
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    /// <summary>Null when it went well, else why not.</summary>
    private static async Task<string?> SetDisabledAsync(Jackdaw.Documents.Databases databases, string name, bool disabled)
    {
        if (!await databases.SetDisabledAsync(name, disabled))
            return $"Database '{name}' does not exist.";
        return databases.LoadFailure(name) is { } failure
            ? $"Database '{name}' is enabled, but could not be opened: {failure.Message}"
            : null;
    }

    private static async Task PutSettings(RequestContext request)
    {
        using var body = await RequestBody.ReadAsync(request);
        var record = request.Record(request.DatabaseName);
        var changed = DatabaseRecordJson.WithSettings(body.Bytes);
        await request.Server.Databases.UpdateRecordAsync(record.Name, changed, record.Etag);
        await request.SendEmptyAsync(StatusCodes.Status204NoContent);
    }
}
