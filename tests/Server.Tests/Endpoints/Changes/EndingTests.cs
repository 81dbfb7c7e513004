using System.Net.WebSockets;
using Jackdaw.Server.Endpoints.Changes;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.Changes;

/// <summary>How a database and the server end their sockets.</summary>
public sealed class EndingTests : IAsyncLifetime
{
    /// <summary>Clients that answer are not hurried by a slow machine.</summary>
    private static readonly ChangesLimits s_limits = new() { ClosingTime = Eventually.Patience };

    private ServerScene _scene = null!;

    public async Task InitializeAsync() => _scene = await ServerScene.OpenAsync(changes: s_limits);

    public async Task DisposeAsync() => await _scene.DisposeAsync();

    [Fact]
    public async Task A_database_that_is_disabled_closes_its_sockets_and_refuses_others()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("watch-docs");
        var disabling = _scene.State.Databases.SetDisabledAsync("db", true);

        Assert.Equal((WebSocketCloseStatus.EndpointUnavailable, "The database 'db' was disabled."), await client.ClosedAsync());
        await client.CloseAsync();
        await disabling;
        await using var late = SocketClient.Begin(_scene);
        await late.EndedAsync();
        Assert.Equal(503, late.Status);
        Assert.Contains("DatabaseDisabledException", late.Body, StringComparison.Ordinal);

        await _scene.State.Databases.SetDisabledAsync("db", false);
        await using var again = await SocketClient.ConnectAsync(_scene);
        await again.DoAsync("watch-docs");
    }

    [Fact]
    public async Task A_database_that_is_deleted_closes_its_sockets_and_only_its()
    {
        await _scene.State.Databases.CreateAsync("other", default);
        await using var other = await SocketClient.ConnectAsync(_scene, "OTHER");
        await using var client = await SocketClient.ConnectAsync(_scene);
        var deleting = _scene.State.Databases.DeleteAsync("db", hard: true);

        Assert.Equal((WebSocketCloseStatus.EndpointUnavailable, "The database 'db' was deleted."), await client.ClosedAsync());
        await client.CloseAsync();
        await deleting;
        await other.DoAsync("watch-docs");
    }

    [Fact]
    public async Task What_waits_is_sent_before_a_socket_is_closed()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("watch-docs");
        var database = _scene.Database.Attached<DatabaseChanges>()!;
        for (var i = 0; i < 500; i++)
            database.TellIndex($"index/{i}", "IndexAdded", changesAnswers: false);
        await client.DoAsync("watch-indexes");
        for (var i = 0; i < 500; i++)
            database.TellIndex($"index/{i}", "IndexAdded", changesAnswers: false);
        var ending = _scene.State.Changes.DisposeAsync().AsTask();

        for (var i = 0; i < 500; i++)
            Assert.Equal($"index/{i}", (await client.NextAsync("IndexChange")).GetProperty("Name").GetString());
        Assert.Equal((WebSocketCloseStatus.EndpointUnavailable, "The server is shutting down."), await client.ClosedAsync());
        await client.CloseAsync();
        await ending;
    }

    [Fact]
    public async Task A_client_that_does_not_answer_or_does_not_read_holds_up_nothing()
    {
        await using var scene = await ServerScene.OpenAsync(changes: s_limits with { ClosingTime = TimeSpan.FromMilliseconds(200) });
        await using var silent = await SocketClient.ConnectAsync(scene);
        await using var full = await SocketClient.ConnectAsync(scene);
        await full.DoAsync("watch-docs");
        await scene.PutAsync(Enumerable.Range(0, 1000).Select(n => ($"documents-of-a-client-that-does-not-read/{n:0000}", "{}")));

        Assert.True(await scene.State.Databases.SetDisabledAsync("db", true).WaitAsync(Eventually.Patience));
        await silent.EndedAsync();
        await full.EndedAsync();
        Assert.True(silent.WasAborted);
        Assert.True(full.WasAborted);
        Assert.Equal(0, scene.State.Changes.Memory.TakenBytes);
    }
}
