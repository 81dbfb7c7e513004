using System.Net;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Jackdaw.Demo.Setup;

/// <summary>The server's HTTP API, as far as the demo uses it.</summary>
internal sealed class JackdawServer(HttpClient http, string url)
{
    /// <summary>Makes a database unless it is there.</summary>
    public async Task CreateDatabaseAsync(string name)
    {
        var names = await GetAsync("/databases?namesOnly=true");
        if (!names!["Databases"]!.AsArray().Any(one => (string?)one == name))
            await SendAsync("PUT", $"/admin/databases?name={name}", new JsonObject { ["DatabaseName"] = name });
    }

    /// <summary>Stores a connection string under its name.</summary>
    public Task ConnectAsync(string database, object connection) =>
        SendAsync("PUT", $"/databases/{database}/etl/connections", JsonSerializer.SerializeToNode(connection));

    /// <summary>Adds a task, or replaces the one of that name.</summary>
    public async Task PutTaskAsync(string database, string name, object task)
    {
        var tasks = (await GetAsync($"/databases/{database}/etl/tasks"))!["Tasks"]!.AsArray();
        var there = tasks.FirstOrDefault(one => (string?)one!["TaskName"] == name);
        var which = there is null ? "" : $"?id={(long)there["TaskId"]!}";
        await SendAsync("PUT", $"/databases/{database}/etl/tasks{which}", JsonSerializer.SerializeToNode(task));
    }

    /// <summary>Stores a document.</summary>
    public Task PutAsync(string database, string id, string collection, JsonObject document)
    {
        var stored = (JsonObject)document.DeepClone();
        stored["@metadata"] = new JsonObject { ["@collection"] = collection };
        return SendAsync("PUT", $"/databases/{database}/docs?id={Uri.EscapeDataString(id)}", stored);
    }

    /// <summary>Deletes a document.</summary>
    public Task DeleteAsync(string database, string id) =>
        SendAsync("DELETE", $"/databases/{database}/docs?id={Uri.EscapeDataString(id)}", body: null);

    /// <summary>Returns a document, or null when it is not there.</summary>
    public async Task<JsonObject?> DocumentAsync(string database, string id) =>
        (await GetAsync($"/databases/{database}/docs?id={Uri.EscapeDataString(id)}"))?["Results"]?[0] as JsonObject;

    /// <summary>Appends a group of events to a stream; returns the number of the last one.</summary>
    public async Task<long> AppendAsync(string database, string stream, IEnumerable<JsonObject> payloads)
    {
        var highest = await GetAsync($"/databases/{database}/events/highest?stream={Uri.EscapeDataString(stream)}");
        var group = new JsonObject
        {
            ["stream"] = stream,
            ["expectedLast"] = (long)highest!["highest"]!,
            ["events"] = new JsonArray([.. payloads.Select(payload => new JsonObject { ["payload"] = payload.DeepClone() })]),
        };
        var answer = await SendAsync("POST", $"/databases/{database}/events", new JsonObject { ["groups"] = new JsonArray(group) });
        var outcome = answer!["groups"]![0]!;
        return (string?)outcome["outcome"] == "stored"
            ? (long)outcome["highest"]!
            : throw new DemoFailedException($"The server did not store events of '{stream}': {outcome.ToJsonString()}");
    }

    /// <summary>Returns the payloads of a stream's events, in their order.</summary>
    public async Task<IReadOnlyList<JsonObject>> EventsAsync(string database, string stream)
    {
        const int Enough = 1_000_000;
        var answer = await GetAsync($"/databases/{database}/events?stream={Uri.EscapeDataString(stream)}&max={Enough}");
        return [.. answer!["events"]!.AsArray().Select(one => (JsonObject)one!["payload"]!)];
    }

    private Task<JsonNode?> GetAsync(string path) => SendAsync("GET", path, body: null);

    private async Task<JsonNode?> SendAsync(string method, string path, JsonNode? body)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), url + path);
        if (body is not null)
            request.Content = new StringContent(body.ToJsonString(), Encoding.UTF8, "application/json");
        using var answer = await http.SendAsync(request);
        if (answer.StatusCode == HttpStatusCode.NotFound && method == "GET")
            return null;
        var text = await answer.Content.ReadAsStringAsync();
        if (!answer.IsSuccessStatusCode)
            throw new DemoFailedException($"The server refused {method} {path} with {(int)answer.StatusCode}: {text}");
        return text.Length == 0 ? null : JsonNode.Parse(text);
    }
}
