using System.Diagnostics;
using System.Net;
using System.Text.Json.Nodes;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance.Deliveries;

/// <summary>
/// One data folder with a task to one target, and the servers that run on it one after the other. Documents are written in a
/// fixed pattern: every seventh fails in its
/// script, every twenty-eighth at the target, every fourth is one of three that are changed again and again.
/// </summary>
internal sealed class DeliveryScene(DeliveryTarget target) : IDisposable
{
    private const string DatabaseName = "shop";
    private const int MostWritesUntilDeath = 500;

    private readonly HttpClient _client = new();
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-etl-").FullName;

    /// <summary>The number of the next write; all before it are acknowledged.</summary>
    public int Written { get; private set; }

    /// <summary>How often a server died.</summary>
    public int Deaths { get; private set; }

    public void Dispose()
    {
        _client.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    public Task<ServerUnderTest> StartAsync(params string[] arguments) => ServerUnderTest.StartAsync(_folder, arguments);

    public WireDatabase Database(ServerUnderTest server) => new(_client, server.Url, DatabaseName);

    /// <summary>Creates the database and the task.</summary>
    public async Task PrepareAsync(ServerUnderTest server)
    {
        using var created = await _client.PutAsync(
            $"{server.Url}/admin/databases?name={DatabaseName}",
            new StringContent($$"""{"DatabaseName":"{{DatabaseName}}"}""")
        );
        created.EnsureSuccessStatusCode();
        var database = Database(server);
        var connection = await database.SendAsync("PUT", "/admin/connection-strings", target.Connection().ToJsonString());
        Assert.True(connection.Status == HttpStatusCode.OK, connection.Text);
        var task = target.TaskMembers();
        task["EtlType"] = "Queue";
        task["BrokerType"] = target.Connection()["BrokerType"]!.DeepClone();
        task["Name"] = "Orders out";
        task["ConnectionStringName"] = "Target";
        task["Transforms"] = new JsonArray(
            new JsonObject
            {
                ["Name"] = "All",
                ["Collections"] = new JsonArray("Orders"),
                ["Script"] = target.Script,
            }
        );
        var answer = await database.SendAsync("PUT", "/admin/etl", task.ToJsonString());
        Assert.True(answer.Status == HttpStatusCode.OK, answer.Text);
    }

    /// <summary>Writes so many documents.</summary>
    public async Task WriteAsync(WireDatabase database, int count)
    {
        for (var end = Written + count; Written < end; Written++)
            await WriteOneAsync(database, Written);
    }

    /// <summary>Writes until the token is cancelled, a document every few milliseconds.</summary>
    public async Task WriteAsync(WireDatabase database, CancellationToken until)
    {
        for (; !until.IsCancellationRequested; Written++)
        {
            await WriteOneAsync(database, Written);
            await Task.Delay(15, CancellationToken.None);
        }
    }

    /// <summary>Starts a server that dies at a failpoint, and writes until it does; it may also die of what the one before it
    /// left to do.</summary>
    public async Task DieAsync(string failpoint)
    {
        await using var server = await ServerUnderTest.StartDoomedAsync(_folder, $"--Testing.Failpoint={failpoint}");
        if (server is null)
            Deaths++;
        else
            await WriteUntilItDiesAsync(server, failpoint);
    }

    /// <summary>Writes until the server dies, as it is to do by itself or by another's hand.</summary>
    public async Task WriteUntilItDiesAsync(ServerUnderTest server, string why)
    {
        var database = Database(server);
        var end = Written + MostWritesUntilDeath;
        try
        {
            for (; Written < end && !server.HasExited; Written++)
            {
                await WriteOneAsync(database, Written);
                await Task.Delay(2);
            }
        }
        catch (HttpRequestException)
        {
            // Whether this one was stored is unknown, and it is written again.
            await server.WaitForExitAsync();
        }
        for (var began = Stopwatch.GetTimestamp(); !server.HasExited && Stopwatch.GetElapsedTime(began) < Eventually.Patience; )
            await Task.Delay(50);
        if (!server.HasExited)
            Assert.Fail(
                $"{target.Name}: {why} did not end the server; the task: {await StateAsync(database)}; the server: {server.Errors}"
            );
        Deaths++;
    }

    /// <summary>Waits until the task has nothing left to do.</summary>
    public static async Task UntilIdleAsync(WireDatabase database) =>
        await EtlWireTests.UntilAsync(
            async () => await StateAsync(database) is ("Idle", 0, _),
            async () => $"The task does not come to rest: {await StateAsync(database)}"
        );

    /// <summary>The task's state, how many etags it is behind, and why it waits.</summary>
    public static async Task<(string State, long Behind, string? Reason)> StateAsync(WireDatabase database)
    {
        var task = (await database.GetAsync("/etl/status")).Json.GetProperty("Tasks")[0];
        return (
            task.GetProperty("State").GetString()!,
            task.GetProperty("Transforms")[0].GetProperty("EtagsBehind").GetInt64(),
            task.GetProperty("Reason").GetString()
        );
    }

    /// <summary>
    /// Once the task is idle: the newest version of every document has arrived or is a dead letter, and what arrived is as
    /// promised. Fails with what is wrong.
    /// </summary>
    public async Task<DeliveryCounts> CheckAsync(WireDatabase database)
    {
        await UntilIdleAsync(database);
        await target.CollectAllAsync();
        var ids = target.Arrivals.Select(arrival => arrival.Id).ToHashSet();
        var missing = new List<string>();
        foreach (
            var document in (await database.GetAsync("/docs?startsWith=orders/&pageSize=100000"))
                .Json.GetProperty("Results")
                .EnumerateArray()
        )
        {
            if (document.GetProperty("bad").GetString()!.Length > 0)
                continue;
            var changeVector = document.GetProperty("@metadata").GetProperty("@change-vector").GetString()!;
            string[] expected = document.GetProperty("n").GetInt32() % 5 == 0 ? [changeVector, $"{changeVector}#All/2"] : [changeVector];
            missing.AddRange(
                expected.Where(id => !ids.Contains(id)).Select(id => $"{document.GetProperty("@metadata").GetProperty("@id")} ({id})")
            );
        }
        var letters = (await database.GetAsync("/docs?startsWith=@dead-letters/&pageSize=100000"))
            .Json.GetProperty("Results")
            .EnumerateArray()
            .Select(letter => letter.GetProperty("DocumentId").GetString()!)
            .ToHashSet();
        var bad = Enumerable.Range(0, Written).Where(n => Bad(n).Length > 0).Select(Id).ToHashSet();
        missing.AddRange(bad.Except(letters).Select(id => $"the dead letter of {id}"));
        var counts = new DeliveryCounts(ids.Count, missing.Count, DeliveryOracle.Duplicates(target.Arrivals), letters.Count);
        Assert.True(missing.Count == 0, $"{target.Name}: {counts}; missing: {string.Join(", ", missing.Take(10))}");
        Assert.True(!target.Promise.IsExactlyOnce || counts.Duplicates == 0, $"{target.Name}: {counts}");
        if (target.Promise.IsOrdered)
            Assert.Null(DeliveryOracle.Disorder(target.Arrivals));
        return counts;
    }

    private static string Id(int n) => n % 4 == 0 && Bad(n).Length == 0 ? $"orders/often-{n / 4 % 3}" : $"orders/{n}";

    private static string Bad(int n) =>
        n % 7 == 3 ? "script"
        : n % 28 == 5 ? "sink"
        : "";

    private static async Task WriteOneAsync(WireDatabase database, int n) =>
        await database.PutAsync(Id(n), $$$"""{"n":{{{n}}},"bad":"{{{Bad(n)}}}","@metadata":{"@collection":"Orders"}}""");
}
