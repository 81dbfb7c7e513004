using System.Net;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;

namespace Jackdaw.Acceptance;

/// <summary>What an operator reads of a task that waits, and of one in a copied database.</summary>
public sealed class TaskAlertTests : IDisposable
{
    private readonly HttpClient _client = new();
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-alerts-").FullName;

    public void Dispose()
    {
        _client.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task A_receiver_that_asks_for_three_years_is_tried_again_within_the_limit_and_status_and_alert_say_when()
    {
        await using var receiver = new HttpEndpoint(
            (context, _) =>
            {
                context.Response.StatusCode = 503;
                context.Response.AddHeader("Retry-After", "100000000");
                return Task.CompletedTask;
            },
            "hook/"
        );
        await using var server = await ServerUnderTest.StartAsync("--ETL.MaxRetryAfterInSec=1000");
        var database = await NewDatabaseAsync(server);
        var id = await EtlWireTests.StartTaskAsync(database, receiver.Url.ToString());
        var before = DateTime.UtcNow;
        await EtlWireTests.PutOrderAsync(database, 1);

        await Eventually.IsAsync(async () => await StateAsync(database) == "Waiting");

        var after = DateTime.UtcNow;
        var status = (await database.GetAsync("/etl/status")).Json.GetProperty("Tasks")[0];
        var due = status.GetProperty("NextTry").GetDateTime();
        Assert.InRange(due, before.AddSeconds(1000), after.AddSeconds(1000));
        var alert = Assert.Single((await database.GetAsync("/alerts")).Json.GetProperty("Alerts").EnumerateArray());
        Assert.Equal($"etl/{id}", alert.GetProperty("Source").GetString());
        Assert.Contains($"tries again by itself at {due:u}", alert.GetProperty("Advice").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_copied_database_sends_nothing_and_status_and_alert_say_why_and_what_starts_it()
    {
        await using var receiver = new WebhookReceiver();
        await using var server = await ServerUnderTest.StartAsync();
        var database = await NewDatabaseAsync(server);
        var id = await EtlWireTests.StartTaskAsync(database, receiver.Url);
        await EtlWireTests.PutOrderAsync(database, 1);
        await Eventually.IsAsync(() => receiver.Events.Count == 1);
        var copy = Path.Combine(_folder, "copy");
        using (var answer = await _client.PostAsync($"{server.Url}/databases/db/admin/copy?to={Uri.EscapeDataString(copy)}", null))
            Assert.Contains("Completed", await answer.Content.ReadAsStringAsync(), StringComparison.Ordinal);

        await using var other = await ServerUnderTest.StartAsync($"--DataDir={copy}");
        var copied = new WireDatabase(_client, other.Url, "db");
        await EtlWireTests.PutOrderAsync(copied, 2);

        Assert.Equal("Paused", await StateAsync(copied));
        var status = (await copied.GetAsync("/etl/status")).Json.GetProperty("Tasks")[0];
        Assert.Contains("is a copy", status.GetProperty("Reason").GetString(), StringComparison.Ordinal);
        var alert = Assert.Single((await copied.GetAsync("/alerts")).Json.GetProperty("Alerts").EnumerateArray());
        Assert.Equal(
            ("Warning", "The task 'Orders out' is Paused"),
            (alert.GetProperty("Severity").GetString(), alert.GetProperty("Title").GetString())
        );
        Assert.Contains("is a copy", alert.GetProperty("Message").GetString(), StringComparison.Ordinal);
        Assert.Contains($"POST /etl/resume?id={id}", alert.GetProperty("Advice").GetString(), StringComparison.Ordinal);
        Assert.Single(receiver.Events);

        Assert.Equal(HttpStatusCode.NoContent, (await copied.SendAsync("POST", $"/etl/resume?id={id}")).Status);
        await Eventually.IsAsync(() => receiver.Subjects().Contains("orders/2"));
    }

    private async Task<WireDatabase> NewDatabaseAsync(ServerUnderTest server)
    {
        using var created = await _client.PutAsync($"{server.Url}/admin/databases?name=db", new StringContent("""{"DatabaseName":"db"}"""));
        created.EnsureSuccessStatusCode();
        return new WireDatabase(_client, server.Url, "db");
    }

    private static async Task<string?> StateAsync(WireDatabase database) =>
        (await database.GetAsync("/etl/status")).Json.GetProperty("Tasks")[0].GetProperty("State").GetString();
}
