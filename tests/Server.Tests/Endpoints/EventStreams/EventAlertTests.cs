using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.EventStreams;

/// <summary>What an operator is told when deleted events are removed before a task has read them.</summary>
public sealed class EventAlertTests : IAsyncLifetime
{
    private ServerScene _scene = null!;

    public async Task InitializeAsync() =>
        _scene = await ServerScene.OpenAsync(settings: ["--Tombstones.MaxAgeInDays=3", "--Tombstones.CleanupIntervalInSec=1"]);

    public async Task DisposeAsync() => await _scene.DisposeAsync();

    [Fact]
    public async Task Events_that_grow_too_old_before_a_task_has_read_them_raise_an_alert_that_speaks_of_events()
    {
        await RequireAsync(
            "PUT",
            "/admin/connection-strings",
            """{"Type":"Queue","Name":"hook","BrokerType":"None","WebhookConnectionSettings":{"Url":"http://127.0.0.1:1/hook"}}"""
        );
        await RequireAsync(
            "PUT",
            "/admin/etl",
            """{"EtlType":"Queue","Name":"Events out","ConnectionStringName":"hook","Transforms":[{"Name":"t","Collections":["@events"],"Script":"loadToOut(this)"}]}"""
        );
        await RequireAsync("POST", "/events", """{"groups":[{"stream":"a","first":1,"events":[{"payload":1},{"payload":2}]}]}""");
        await RequireAsync("DELETE", "/events", query: "?stream=a&to=2");
        // Two days hold nothing that the task has not read.
        await CleanAsync(days: 2, isGone: false);
        Assert.DoesNotContain("has missed", (await _scene.SendAsync("GET", "/alerts")).Text, StringComparison.Ordinal);

        await CleanAsync(days: 2, isGone: true);
        var alerts = (await _scene.SendAsync("GET", "/alerts")).Text;
        Assert.Contains("The task 'Events out' has missed events", alerts, StringComparison.Ordinal);
        Assert.Contains("2 deleted events were removed from disk before", alerts, StringComparison.Ordinal);
        Assert.Contains("Tombstones.MaxAgeInDays", alerts, StringComparison.Ordinal);
        Assert.DoesNotContain("has missed deletions", alerts, StringComparison.Ordinal);
        await RequireAsync("DELETE", "/etl/gaps", query: "?id=1");
        Assert.DoesNotContain("has missed", (await _scene.SendAsync("GET", "/alerts")).Text, StringComparison.Ordinal);
    }

    /// <summary>Time passes, and the cleaning comes by.</summary>
    private async Task CleanAsync(int days, bool isGone)
    {
        await _scene.PutAsync([("other/1", "{}")]);
        await _scene.DeleteAsync("other/1");
        _scene.Clock.Jump(TimeSpan.FromDays(days));
        await Eventually.IsAsync(() =>
        {
            _scene.Clock.Jump(TimeSpan.FromSeconds(2));
            // Each write has the background work look whether something is due.
            _scene.PutAsync([("wakes", "{}")]).GetAwaiter().GetResult();
            using var reader = _scene.Database.OpenRead("test");
            var onDisk = reader.Collection(EventsRoom.Collection)!.DocumentCount;
            return isGone ? onDisk == 0 : reader.TombstoneCount == 0 && onDisk == 2;
        });
    }

    private async Task RequireAsync(string method, string path, string body = "", string query = "")
    {
        var answer = await _scene.SendAsync(method, path, query, body);
        Assert.True(answer.Status is 200 or 201 or 204, $"{method} {path}: {answer.Status} {answer.Text}");
    }
}
