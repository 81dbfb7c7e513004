using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.Queries;

/// <summary>Queries whose database closes, or whose server stops, while they wait.</summary>
public sealed class EndingQueryTests : IAsyncLifetime
{
    private ServerScene _scene = null!;

    public async Task InitializeAsync() => _scene = await ServerScene.OpenAsync();

    public Task DisposeAsync() => _scene.DisposeAsync().AsTask();

    [Fact]
    public async Task A_query_that_waits_ends_as_a_database_that_is_disabled_answers()
    {
        var waiting = await BeginWaitingAsync();

        await _scene.State.Databases.SetDisabledAsync("db", true);

        var answer = await waiting;
        Assert.Equal(503, answer.Status);
        Assert.Contains("DatabaseDisabledException", answer.Text, StringComparison.Ordinal);
        Assert.Contains("Database 'db' is disabled", answer.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_query_that_waits_ends_as_a_database_that_is_deleted_answers()
    {
        var waiting = await BeginWaitingAsync();

        await _scene.State.Databases.DeleteAsync("db", hard: true);

        var answer = await waiting;
        Assert.Equal(404, answer.Status);
        Assert.Contains("DatabaseDoesNotExistException", answer.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_query_that_waits_ends_when_the_server_stops_before_its_database_closes()
    {
        var waiting = await BeginWaitingAsync();

        await _scene.State.BeginEndingAsync();

        var answer = await waiting;
        Assert.Equal(503, answer.Status);
        Assert.Contains("The server is stopping", answer.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_batch_that_waits_for_indexes_says_that_it_is_saved_when_the_server_stops()
    {
        await BeginWaitingAsync();
        var waiting = _scene.SendAsync(
            "POST",
            "/bulk_docs",
            "?waitForIndexesTimeout=01:00:00",
            """{"Commands":[{"Type":"PUT","Id":"users/2","Document":{"name":"Ann","@metadata":{"@collection":"Users"}}}]}"""
        );
        await Eventually.IsAsync(() => _scene.Database.Statistics().DocumentCount == 2);

        await _scene.State.BeginEndingAsync();

        var answer = await waiting;
        Assert.Equal(500, answer.Status);
        Assert.Contains("TimeoutException", answer.Text, StringComparison.Ordinal);
        Assert.Contains("The batch is saved, but", answer.Text, StringComparison.Ordinal);
    }

    /// <summary>A query that would wait for an hour.</summary>
    private async Task<Task<ServedAnswer>> BeginWaitingAsync()
    {
        const string Query = "from Users where name = 'ann'";
        await _scene.SendAsync("POST", "/queries", "", $$"""{"Query":"{{Query}}"}""");
        await _scene.PauseIndexesAsync();
        await _scene.PutAsync([("users/1", """{"name":"Ann","@metadata":{"@collection":"Users"}}""")]);
        var waiting = _scene.SendAsync(
            "POST",
            "/queries",
            "",
            $$"""{"Query":"{{Query}}","WaitForNonStaleResults":true,"WaitForNonStaleResultsTimeout":"01:00:00"}"""
        );
        await Eventually.IsAsync(() => _scene.State.Queries.Of(_scene.Database).Any(query => query.IndexName.Length > 0));
        Assert.False(waiting.IsCompleted);
        return waiting;
    }
}
