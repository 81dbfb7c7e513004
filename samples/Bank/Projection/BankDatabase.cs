using System.Net;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Bank.Projection;

/// <summary>The documents of the projection and its task, by plain HTTP.</summary>
internal sealed class BankDatabase(string url) : IDisposable
{
    private const string Task = "balances";
    private const string Prefix = "balances/";
    private const string ProjectionId = "projections/balances";

    private readonly HttpClient _client = new() { BaseAddress = new Uri(url) };
    private readonly string _root = $"/databases/{BankSystem.Database}";

    public void Dispose() => _client.Dispose();

    /// <summary>Creates the database and the task that sends the accounts' events to <paramref name="receiver"/>, unless they are there.</summary>
    public async Task SetUpAsync(string receiver)
    {
        using var created = await _client.PutAsJsonAsync(
            $"/admin/databases?name={BankSystem.Database}",
            new { DatabaseName = BankSystem.Database }
        );
        if (created.StatusCode != HttpStatusCode.Conflict)
            created.EnsureSuccessStatusCode();
        // One request at a time: events arrive in the order of their positions, so one offset is enough for all of them.
        await PutAsync(
            "/etl/connections",
            new
            {
                Name = Task,
                Sink = "Webhook",
                WebhookConnectionSettings = new { Url = receiver, MaxConcurrency = 1 },
            }
        );
        string[] collections = ["@events"];
        var tasks = await _client.GetFromJsonAsync<JsonObject>($"{_root}/etl/tasks");
        if (tasks!["Tasks"]!.AsArray().Any(task => (string?)task!["TaskName"] == Task))
            return;
        const string Script = "if (this.stream.startsWith('account-')) loadToBalances({ account: this.stream, change: this.payload });";
        await PutAsync(
            "/etl/tasks",
            new
            {
                Name = Task,
                Sink = "Webhook",
                ConnectionStringName = Task,
                Transforms = new[]
                {
                    new
                    {
                        Name = "accounts",
                        Collections = collections,
                        Script,
                    },
                },
            }
        );
    }

    /// <summary>Where the projection has come to; null: it has read nothing.</summary>
    public async Task<ProjectionState?> StateAsync() =>
        await DocumentAsync(ProjectionId) is { } found ? new ProjectionState((string)found["DatabaseId"]!, (long)found["Offset"]!) : null;

    /// <summary>The projected balances by account, in cents.</summary>
    public async Task<IReadOnlyDictionary<string, long>> BalancesAsync()
    {
        var page = await _client.GetFromJsonAsync<JsonObject>($"{_root}/docs?startsWith={Prefix}&pageSize=1000");
        return page!["Results"]!
            .AsArray()
            .ToDictionary(
                balance => (string)balance!["@metadata"]!["@id"]! is var id ? id[Prefix.Length..] : "",
                balance => (long)balance!["Amount"]!
            );
    }

    /// <summary>Stores the read model's change and the place where it comes from in one batch: both, or neither.</summary>
    public async Task StoreAsync(string account, long amount, ProjectionState state)
    {
        object[] commands =
        [
            new
            {
                Id = Prefix + account,
                Type = "PUT",
                Document = new Dictionary<string, object>
                {
                    ["Amount"] = amount,
                    ["@metadata"] = new Dictionary<string, object> { ["@collection"] = "Balances" },
                },
            },
            new
            {
                Id = ProjectionId,
                Type = "PUT",
                Document = new Dictionary<string, object>
                {
                    ["DatabaseId"] = state.DatabaseId,
                    ["Offset"] = state.Offset,
                    ["@metadata"] = new Dictionary<string, object> { ["@collection"] = "Projections" },
                },
            },
        ];
        using var stored = await _client.PostAsJsonAsync($"{_root}/bulk_docs", new { Commands = commands }, JsonSerializerOptions.Default);
        stored.EnsureSuccessStatusCode();
    }

    private async Task<JsonNode?> DocumentAsync(string id)
    {
        using var answer = await _client.GetAsync($"{_root}/docs?id={Uri.EscapeDataString(id)}");
        if (answer.StatusCode == HttpStatusCode.NotFound)
            return null;
        answer.EnsureSuccessStatusCode();
        return (await answer.Content.ReadFromJsonAsync<JsonObject>())!["Results"]![0];
    }

    private async Task PutAsync(string path, object body)
    {
        using var answer = await _client.PutAsJsonAsync(_root + path, body, JsonSerializerOptions.Default);
        if (!answer.IsSuccessStatusCode)
            throw new InvalidOperationException($"{path}: {await answer.Content.ReadAsStringAsync()}");
    }
}
