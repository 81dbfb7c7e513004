using System.Net;
using System.Text;
using System.Text.Json;

namespace Jackdaw.Functions.Tests;

/// <summary>A server over plain HTTP, as whoever writes to it sees it.</summary>
internal sealed class Wire(HttpClient http, string url)
{
    public async Task<JsonElement> SendAsync(string method, string path, string? body = null)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), url + path);
        if (body is not null)
            request.Content = new StringContent(body, Encoding.UTF8, "application/json");
        using var answer = await http.SendAsync(request);
        var text = await answer.Content.ReadAsStringAsync();
        Assert.True(answer.IsSuccessStatusCode, $"{method} {path}: {(int)answer.StatusCode} {text}");
        return text.Length == 0 ? default : JsonSerializer.Deserialize<JsonElement>(text);
    }

    public async Task CreateAsync(string database) =>
        await SendAsync("PUT", $"/admin/databases?name={database}", $$"""{"DatabaseName":"{{database}}"}""");

    /// <summary>Null when it is not there.</summary>
    public async Task<JsonElement?> DocumentAsync(string database, string id)
    {
        using var answer = await http.GetAsync($"{url}/databases/{database}/docs?id={Uri.EscapeDataString(id)}");
        if (answer.StatusCode == HttpStatusCode.NotFound)
            return null;
        var text = await answer.Content.ReadAsStringAsync();
        Assert.True(answer.IsSuccessStatusCode, text);
        var document = JsonSerializer.Deserialize<JsonElement>(text).GetProperty("Results")[0];
        return document.ValueKind == JsonValueKind.Null ? null : document;
    }

    public async Task<IReadOnlyList<JsonElement>> EventsAsync(string database, string stream) =>
        [
            .. (await SendAsync("GET", $"/databases/{database}/events?stream={Uri.EscapeDataString(stream)}&from=1&max=100000"))
                .GetProperty("events")
                .EnumerateArray(),
        ];

    /// <summary>A webhook task over one collection; gives its id.</summary>
    public async Task<long> StartTaskAsync(string database, string name, string collection, string script, Uri receiver, bool deletes)
    {
        await SendAsync(
            "PUT",
            $"/databases/{database}/etl/connections",
            JsonSerializer.Serialize(
                new
                {
                    Name = name,
                    Sink = "Webhook",
                    WebhookConnectionSettings = new { Url = receiver.ToString() },
                }
            )
        );
        var task = await SendAsync(
            "PUT",
            $"/databases/{database}/etl/tasks",
            JsonSerializer.Serialize(
                new
                {
                    Name = name,
                    Sink = "Webhook",
                    ConnectionStringName = name,
                    Transforms = new[]
                    {
                        new
                        {
                            Name = "all",
                            Collections = new[] { collection },
                            Script = script,
                            PublishDeletes = deletes,
                        },
                    },
                }
            )
        );
        return task.GetProperty("TaskId").GetInt64();
    }

    /// <summary>Waits until every task of the database has sent everything.</summary>
    public Task UntilSentAsync(string database) =>
        Eventually.IsAsync(async () =>
            (await SendAsync("GET", $"/databases/{database}/etl/status"))
                .GetProperty("Tasks")
                .EnumerateArray()
                .All(task =>
                    task.GetProperty("State").GetString() == "Idle"
                    && task.GetProperty("Transforms").EnumerateArray().All(one => one.GetProperty("DocumentsBehind").GetInt64() == 0)
                )
        );
}
