using System.Text.Json;
using Jackdaw.Indexing.Contents;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;
using Jackdaw.Server.Tests.Serving;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Server.Tests.Endpoints.Indexes;

/// <summary>What <c>/alerts</c> and <c>/indexes/errors</c> tell of indexes that cannot go on as they should, and when it ends.</summary>
public sealed class IndexAlertTests
{
    private const string Name = "Auto/Users/Byname";

    [Fact]
    public async Task A_full_disk_is_an_alert_until_there_is_room()
    {
        var isFull = true;
        await using var scene = await ServerScene.OpenAsync(indexing: options =>
            options with
            {
                OpenContent = (storage, id) =>
                    Volatile.Read(ref isFull)
                        ? throw new DiskFullException("journal/1", "write", 0, DiskFullException.ErrnoNoSpace)
                        : SearchContent.Open(storage, id),
            }
        );
        var index = await MakeAsync(scene);
        await Eventually.IsAsync(() => index.StopReason is not null);

        var alert = Assert.Single(await AlertsAsync(scene), alert => Title(alert) == $"The index '{Name}' waits");
        Assert.Equal(("Warning", $"index/{Name}"), (Text(alert, "Severity"), Text(alert, "Source")));
        Assert.Contains("no space left on the device", Text(alert, "Message"), StringComparison.Ordinal);
        Assert.Contains("make room", Text(alert, "Advice"), StringComparison.Ordinal);
        // Documents are written as ever.
        await scene.PutAsync([("users/1", """{"name":"Ann","@metadata":{"@collection":"Users"}}""")]);

        Volatile.Write(ref isFull, false);

        Assert.True(await index.WaitForAsync(scene.Database.LastDurableEtag, Eventually.Patience, default));
        await Eventually.IsAsync(() => index.StopReason is null);
        Assert.DoesNotContain(await AlertsAsync(scene), alert => Title(alert).EndsWith("waits", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Documents_that_failed_are_an_alert_and_errors_until_they_are_forgotten()
    {
        await using var scene = await ServerScene.OpenAsync(storage: new Storage.EnvironmentOptions { MaxTransactionBytes = 2 << 20 });
        var values = string.Join(',', Enumerable.Range(0, 100_000).Select(i => $"\"v{i * 7919 % 1_000_003}\""));
        await scene.PutAsync([("users/large", $$"""{"name":[{{values}}],"@metadata":{"@collection":"Users"} }""")]);
        await scene.PutAsync([("users/1", """{"name":"Ann","@metadata":{"@collection":"Users"}}""")]);
        var index = await MakeAsync(scene);
        Assert.True(await index.WaitForAsync(scene.Database.LastDurableEtag, Eventually.Patience, default));

        var alert = Assert.Single(await AlertsAsync(scene), alert => Title(alert) == $"Documents failed in the index '{Name}'");
        Assert.Equal(("Warning", $"index/{Name}"), (Text(alert, "Severity"), Text(alert, "Source")));
        Assert.StartsWith("1 documents", Text(alert, "Message"), StringComparison.Ordinal);
        var errors = (await scene.SendAsync("GET", "/indexes/errors", $"?name={Name}"))
            .Json.GetProperty("Results")[0]
            .GetProperty("Errors");
        var error = Assert.Single(errors.EnumerateArray());
        Assert.Equal(("users/large", "Map"), (Text(error, "Document"), Text(error, "Action")));
        Assert.Contains("does not fit into a transaction of the index", Text(error, "Error"), StringComparison.Ordinal);

        Assert.Equal(204, (await scene.SendAsync("DELETE", "/indexes/errors", $"?name={Name}")).Status);

        Assert.Empty(await AlertsAsync(scene));
    }

    [Theory]
    [InlineData("LockedIgnore", 200)]
    [InlineData("LockedError", 400)]
    public async Task A_locked_index_is_not_extended_by_a_query(string mode, int status)
    {
        await using var scene = await ServerScene.OpenAsync();
        var index = await MakeAsync(scene);
        var locking = await scene.SendAsync("POST", "/indexes/set-lock", body: $$"""{"IndexNames":["{{Name}}"],"Mode":"{{mode}}"}""");
        Assert.Equal(204, locking.Status);

        var answer = await scene.SendAsync("POST", "/queries", body: """{"Query":"from Users where age = 1"}""");

        Assert.Equal(status, answer.Status);
        if (status == 200)
            Assert.Equal("Auto/Users/Byage", answer.Json.GetProperty("IndexName").GetString());
        else
            Assert.Contains($"The index '{Name}' is locked (LockedError)", answer.Text, StringComparison.Ordinal);
        Assert.Same(index, scene.Indexes.Find(Name));
    }

    private static async Task<Jackdaw.Indexing.Processes.Index> MakeAsync(ServerScene scene) =>
        await scene.Indexes.EnsureAutomaticAsync(new AutoIndexDefinition("Users", [new AutoIndexField("name")]), default);

    private static async Task<List<JsonElement>> AlertsAsync(ServerScene scene) =>
        [.. (await scene.SendAsync("GET", "/alerts")).Json.GetProperty("Alerts").EnumerateArray()];

    private static string Title(JsonElement alert) => Text(alert, "Title");

    private static string Text(JsonElement element, string name) => element.GetProperty(name).GetString()!;
}
