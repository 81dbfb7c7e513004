using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using System.Text.Json.Nodes;
using Jackdaw.Acceptance.Deliveries;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;

namespace Jackdaw.Acceptance;

/// <summary>
/// Two servers on copies of one data folder, as after a snapshot of a disk: they disturb each other as long as both have one history, and
/// no longer after <c>./run new-history</c>.
/// </summary>
[Trait("Category", "Slow")]
public sealed class NewHistoryTests : IDisposable
{
    private readonly HttpClient _client = new() { Timeout = Eventually.Patience };
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-new-history-").FullName;

    public void Dispose()
    {
        _client.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task Webhook_receivers_can_tell_the_messages_of_both_servers_apart_after_a_new_history()
    {
        await using var target = new WebhookTarget();
        await using var original = await StartOriginalAsync(target);
        var database = new WireDatabase(_client, original.Url, "shop");

        // The fault: two documents under one message id, of which a receiver that removes duplicates keeps one.
        await using (var twin = await ServerUnderTest.StartAsync(Twin(), []))
        {
            await EtlWireTests.PutOrderAsync(database, 2);
            await EtlWireTests.PutOrderAsync(new WireDatabase(_client, twin.Url, "shop"), 3);
            Assert.Equal((await ArrivalAsync(target, "orders/2")).Id, (await ArrivalAsync(target, "orders/3")).Id);
        }

        // The cure.
        await using var cured = await ServerUnderTest.StartAsync(await CuredAsync(), []);
        var copy = new WireDatabase(_client, cured.Url, "shop");
        await EtlWireTests.PutOrderAsync(database, 4);
        await EtlWireTests.PutOrderAsync(copy, 5);
        await EtlWireTests.PutOrderAsync(copy, 6);
        Assert.Equal("Paused", await StateAsync(copy));
        await ArrivalAsync(target, "orders/4");
        Assert.DoesNotContain(target.Arrivals, arrival => arrival.Subject is "orders/5" or "orders/6");
        Assert.Equal(HttpStatusCode.NoContent, (await copy.SendAsync("POST", "/etl/resume?id=1")).Status);
        await ArrivalAsync(target, "orders/5");
        var ids = new HashSet<string>();
        foreach (var subject in new[] { "orders/1", "orders/2", "orders/4", "orders/5", "orders/6" })
            Assert.True(ids.Add((await ArrivalAsync(target, subject)).Id), subject);
        // What both have in common was sent before the snapshot.
        Assert.Single(target.Arrivals, arrival => arrival.Subject == "orders/1");
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task Servers_that_send_to_Kafka_fence_each_other_until_one_gets_a_new_history()
    {
        await using var target = await KafkaTarget.StartAsync(isExactlyOnce: true);
        await using var original = await StartOriginalAsync(target);
        var database = new WireDatabase(_client, original.Url, "shop");

        // The fault: the one that starts last may not send, and the other one may not any more once an operator resumes the task.
        await using (var twin = await ServerUnderTest.StartAsync(Twin(), []))
        {
            var other = new WireDatabase(_client, twin.Url, "shop");
            await EtlWireTests.PutOrderAsync(other, 3);
            await Eventually.IsAsync(async () => await StateAsync(other) == "Fenced");
        }

        // The cure.
        await using var cured = await ServerUnderTest.StartAsync(await CuredAsync(), []);
        var copy = new WireDatabase(_client, cured.Url, "shop");
        await EtlWireTests.PutOrderAsync(copy, 5);
        Assert.Equal("Paused", await StateAsync(copy));
        var ancestor = (await copy.GetAsync("/stats")).Json.GetProperty("Ancestors")[0];
        Assert.Equal(
            HttpStatusCode.NoContent,
            (await copy.SendAsync("POST", $"/etl/position?id=1&etag={ancestor.GetProperty("Etag").GetInt64()}")).Status
        );
        await ArrivalAsync(target, "orders/5");
        await EtlWireTests.PutOrderAsync(database, 4);
        await ArrivalAsync(target, "orders/4");
        Assert.Equal("Idle", await StateAsync(database));
        Assert.DoesNotContain(target.Arrivals, arrival => arrival.Subject == "orders/3");
        Assert.Equal(target.Arrivals.Count, target.Arrivals.Select(arrival => arrival.Id).Distinct().Count());
    }

    [Fact]
    public async Task The_statistics_name_the_ancestors_and_the_command_says_what_is_wrong()
    {
        var folder = Path.Combine(_folder, "data-only");
        string former;
        await using (var server = await ServerUnderTest.StartAsync($"--DataDir={folder}"))
        {
            using var created = await _client.PutAsync($"{server.Url}/admin/databases?name=Shop", new StringContent("{}"));
            created.EnsureSuccessStatusCode();
            var statistics = await _client.GetFromJsonAsync<JsonElement>($"{server.Url}/databases/Shop/stats");
            Assert.Equal(0, statistics.GetProperty("Ancestors").GetArrayLength());
            former = statistics.GetProperty("DatabaseId").GetString()!;
            var (refused, reason) = await RunAsync("new-history", "Shop", $"--DataDir={folder}");
            Assert.Equal(1, refused);
            Assert.Contains($"process {server.ProcessId}", reason, StringComparison.Ordinal);
            Assert.Contains("Stop the server", reason, StringComparison.Ordinal);
            Assert.Equal(0, await server.StopAsync());
        }
        foreach (var wrong in new string[][] { ["new-history"], ["new-history", "Shop", "--all"], ["new-history", $"--DataDir={folder}"] })
            Assert.Equal(2, (await RunAsync(wrong)).Code);
        Assert.Equal(1, (await RunAsync("new-history", "ship", $"--DataDir={folder}")).Code);
        var (code, told) = await RunAsync("new-history", "shop", $"--DataDir={folder}");
        Assert.True(code == 0, told);

        await using var again = await ServerUnderTest.StartAsync($"--DataDir={folder}");
        var after = await _client.GetFromJsonAsync<JsonElement>($"{again.Url}/databases/Shop/stats");
        var ancestor = Assert.Single(after.GetProperty("Ancestors").EnumerateArray());
        Assert.Equal((former, 0L), (ancestor.GetProperty("DatabaseId").GetString(), ancestor.GetProperty("Etag").GetInt64()));
        Assert.NotEqual(former, after.GetProperty("DatabaseId").GetString());
    }

    /// <summary>A server with one task, stopped for a moment while its folder is copied.</summary>
    private async Task<ServerUnderTest> StartOriginalAsync(DeliveryTarget target)
    {
        var folder = Directory.CreateDirectory(Path.Combine(_folder, "original")).FullName;
        await using (var server = await ServerUnderTest.StartAsync(folder, []))
        {
            using var created = await _client.PutAsync(
                $"{server.Url}/admin/databases?name=shop",
                new StringContent("""{"DatabaseName":"shop"}""")
            );
            created.EnsureSuccessStatusCode();
            var database = new WireDatabase(_client, server.Url, "shop");
            Assert.Equal(
                HttpStatusCode.OK,
                (await database.SendAsync("PUT", "/admin/connection-strings", target.Connection().ToJsonString())).Status
            );
            var answer = await database.SendAsync("PUT", "/admin/etl", Definition(target));
            Assert.True(answer.Status == HttpStatusCode.OK, answer.Text);
            Assert.Equal(1, answer.Json.GetProperty("TaskId").GetInt64());
            await EtlWireTests.PutOrderAsync(database, 1);
            await ArrivalAsync(target, "orders/1");
            Assert.Equal(0, await server.StopAsync());
        }
        foreach (var copy in new[] { "twin", "cured" })
            CopyFolder(folder, Path.Combine(_folder, copy));
        return await ServerUnderTest.StartAsync(folder, []);
    }

    private static string Definition(DeliveryTarget target)
    {
        var definition = new JsonObject
        {
            ["TaskId"] = 0,
            ["Name"] = "Orders out",
            ["ConnectionStringName"] = "Target",
            ["EtlType"] = "Queue",
            ["BrokerType"] = target.Connection()["BrokerType"]!.GetValue<string>(),
            ["Transforms"] = new JsonArray(
                new JsonObject
                {
                    ["Name"] = "all",
                    ["Collections"] = new JsonArray("Orders"),
                    ["Script"] = target.Script,
                }
            ),
        };
        foreach (var (name, value) in target.TaskMembers())
            definition[name] = value?.DeepClone();
        return definition.ToJsonString();
    }

    private string Twin() => Path.Combine(_folder, "twin");

    private async Task<string> CuredAsync()
    {
        var folder = Path.Combine(_folder, "cured");
        var (code, told) = await RunAsync("new-history", "--all", $"--DataDir={Path.Combine(folder, "data")}");
        Assert.True(code == 0, told);
        Assert.Contains("shop: the database id was", told, StringComparison.Ordinal);
        return folder;
    }

    private static async Task<Arrival> ArrivalAsync(DeliveryTarget target, string subject)
    {
        await Eventually.IsAsync(async () =>
        {
            await target.CollectAsync();
            return target.Arrivals.Any(arrival => arrival.Subject == subject);
        });
        return target.Arrivals.First(arrival => arrival.Subject == subject);
    }

    private static async Task<string?> StateAsync(WireDatabase database) =>
        (await database.GetAsync("/etl/status")).Json.GetProperty("Tasks")[0].GetProperty("State").GetString();

    private async Task<(int Code, string Output)> RunAsync(params string[] command)
    {
        await using var process = ServerUnderTest.Launch(_folder, [.. command, "--no-defaults"]);
        var code = await process.WaitForExitAsync();
        return (code, process.Output + process.Errors);
    }

    private static void CopyFolder(string from, string to)
    {
        foreach (var file in Directory.GetFiles(from, "*", SearchOption.AllDirectories))
        {
            var copy = Path.Combine(to, Path.GetRelativePath(from, file));
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            File.Copy(file, copy);
        }
    }
}
