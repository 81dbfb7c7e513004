using System.Net;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>A bit of one document's page flips on the disk: each request that needs the page says so, all others are served.</summary>
public sealed class DamagedPageWireTests : IAsyncLifetime
{
    private const int PageBytes = 8192;
    private const int Count = 400;
    private const int Damaged = 200;

    private readonly HttpClient _client = new();
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-page-").FullName;
    private ServerUnderTest _server = null!;
    private WireDatabase _database = null!;
    private long _page;

    private string DataFile => Path.Combine(_folder, "data", "Databases", "a", "data");

    public async Task InitializeAsync()
    {
        await using (var server = await ServerUnderTest.StartAsync(_folder, []))
        {
            using var created = await _client.PutAsync(
                $"{server.Url}/admin/databases?name=a",
                new StringContent("""{"DatabaseName":"a"}""")
            );
            created.EnsureSuccessStatusCode();
            var database = new WireDatabase(_client, server.Url, "a");
            var commands = Enumerable
                .Range(0, Count)
                .Select(i => $$"""{"Id":"{{Id(i)}}","Type":"PUT","ChangeVector":null,"Document":{{Document(i)}}}""");
            var stored = await database.SendAsync("POST", "/bulk_docs", $$"""{"Commands":[{{string.Join(',', commands)}}]}""");
            Assert.True(stored.Status == HttpStatusCode.Created, stored.Text);
            Assert.Equal(0, await server.StopAsync());
        }
        _page = Damage($"body of {Damaged};");
        _server = await ServerUnderTest.StartAsync(_folder, []);
        _database = new WireDatabase(_client, _server.Url, "a");
    }

    public async Task DisposeAsync()
    {
        await _server.DisposeAsync();
        _client.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task Requests_that_need_the_page_say_so_and_all_others_are_served()
    {
        ExpectDamage(await _database.GetAsync($"/docs?id={Id(Damaged)}"));
        Assert.Equal(HttpStatusCode.OK, (await _database.GetAsync($"/docs?id={Id(1)}")).Status);

        ExpectDamage(await _database.SendAsync("PUT", $"/docs?id={Id(Damaged)}", Document(Damaged)));
        ExpectDamage(await _database.SendAsync("DELETE", $"/docs?id={Id(Damaged)}"));
        ExpectDamage(await BatchAsync(1, Damaged, 2));
        Assert.Equal(HttpStatusCode.Created, (await BatchAsync(1, 2)).Status);
        Assert.Equal(HttpStatusCode.NotFound, (await _database.GetAsync("/docs?id=nothing")).Status);

        ExpectDamage(await _database.SendAsync("POST", "/queries", """{"Query":"from Things"}"""));
        Assert.Equal(HttpStatusCode.OK, (await _database.SendAsync("POST", "/queries", """{"Query":"from Things limit 10"}""")).Status);

        await ExpectNoWholeStreamAsync();

        var patched = await OperationAsync("PATCH", """{"Query":{"Query":"from Things update { this.patched = true; }"}}""");
        Assert.Equal("Faulted", patched.GetProperty("Status").GetString());
        ExpectDamage(patched.GetProperty("Result").GetProperty("Message").GetString()!);
        var some = await OperationAsync(
            "PATCH",
            """{"Query":{"Query":"from Things where startsWith(id(), 'things/39') update { this.patched = true; }"}}"""
        );
        Assert.Equal("Completed", some.GetProperty("Status").GetString());

        var load = string.Join(
            ',',
            new[] { 3000, Damaged, 3001 }.Select(i => $$"""{"Id":"{{Id(i)}}","Type":"PUT","Document":{{Document(i)}}}""")
        );
        ExpectDamage(await _database.SendAsync("POST", "/bulk_insert?id=77", $"[{load}]"));
        Assert.Equal("Faulted", (await _database.GetAsync("/operations/state?id=77")).Json.GetProperty("Status").GetString());
        await _database.PutAsync(Id(5000), Document(5000));

        var alert = (await _database.GetAsync("/alerts"))
            .Json.GetProperty("Alerts")
            .EnumerateArray()
            .Single(alert => alert.GetProperty("Title").GetString()!.Contains("damaged", StringComparison.Ordinal));
        ExpectDamage(alert.GetProperty("Message").GetString()!);
        Assert.Equal("Error", alert.GetProperty("Severity").GetString());
        Assert.Contains("./run check", alert.GetProperty("Advice").GetString());
        Assert.NotEqual(JsonValueKind.Null, alert.GetProperty("Since").ValueKind);
    }

    [Fact]
    public async Task A_task_that_has_to_read_the_page_stops_with_its_name_and_others_go_on()
    {
        await using var receiver = new WebhookReceiver();
        await EtlWireTests.StartTaskAsync(_database, receiver.Url);
        var definition = EtlWireTests
            .Definition()
            .Replace("\"Orders out\"", "\"Things out\"", StringComparison.Ordinal)
            .Replace("[\"Orders\"]", "[\"Things\"]", StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.OK, (await _database.SendAsync("PUT", "/admin/etl", definition)).Status);
        await EtlWireTests.PutOrderAsync(_database, 1);
        await EtlWireTests.UntilAsync(
            async () =>
                receiver.Subjects().Contains("orders/1") && (await TaskAsync("Things out")).GetProperty("State").GetString() == "Stopped",
            async () => (await _database.GetAsync("/etl/status")).Text
        );
        ExpectDamage((await TaskAsync("Things out")).GetRawText());
        await EtlWireTests.PutOrderAsync(_database, 2);
        await EtlWireTests.UntilAsync(
            () => Task.FromResult(receiver.Subjects().Contains("orders/2")),
            async () => (await _database.GetAsync("/etl/status")).Text
        );
    }

    private static string Id(int i) => $"things/{i}";

    private static string Document(int i) =>
        $$$"""{"text":"body of {{{i}}};{{{new string('x', 1500)}}}","@metadata":{"@collection":"Things"}}""";

    private void ExpectDamage(WireAnswer answer)
    {
        Assert.Equal(HttpStatusCode.InternalServerError, answer.Status);
        ExpectDamage(answer.Json.GetProperty("Message").GetString()!);
    }

    private void ExpectDamage(string message)
    {
        Assert.Contains(DataFile, message);
        Assert.Contains($"page {_page} ", message);
    }

    /// <summary>Where part of the answer was on its way already, the connection breaks: nothing else can be told any more.</summary>
    private async Task ExpectNoWholeStreamAsync()
    {
        try
        {
            ExpectDamage(await _database.GetAsync("/streams/docs?startsWith=things/"));
        }
        catch (Exception broken) when (broken is HttpRequestException or IOException) { }
    }

    private Task<WireAnswer> BatchAsync(params int[] ids) =>
        _database.SendAsync(
            "POST",
            "/bulk_docs",
            $$"""{"Commands":[{{string.Join(',', ids.Select(i => $$"""{"Id":"{{Id(i)}}","Type":"PUT","ChangeVector":null,"Document":{{Document(i)}}}"""))}}]}"""
        );

    private async Task<JsonElement> TaskAsync(string name) =>
        (await _database.GetAsync("/etl/status"))
            .Json.GetProperty("Tasks")
            .EnumerateArray()
            .Single(task => task.GetRawText().Contains($"\"{name}\"", StringComparison.Ordinal));

    private async Task<JsonElement> OperationAsync(string method, string body)
    {
        var id = (await _database.SendAsync(method, "/queries", body)).Json.GetProperty("OperationId").GetInt64();
        JsonElement state = default;
        await Eventually.IsAsync(async () =>
        {
            state = (await _database.GetAsync($"/operations/state?id={id}")).Json;
            return state.GetProperty("Status").GetString() != "InProgress";
        });
        return state;
    }

    /// <summary>Flips a bit in the page that holds this text; returns its number.</summary>
    private long Damage(string text)
    {
        var bytes = File.ReadAllBytes(DataFile);
        var at = bytes.AsSpan().IndexOf(System.Text.Encoding.ASCII.GetBytes(text));
        Assert.True(at > 0);
        bytes[at + 20] ^= 1;
        File.WriteAllBytes(DataFile, bytes);
        return at / PageBytes;
    }
}
