using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.EventStreams;

/// <summary>Events as documents over HTTP: docs/event-streams.md, "Events as documents".</summary>
public sealed class EventDocumentsEndpointTests : IAsyncLifetime
{
    private const string First = "@events/1/00000000000000000001";
    private const string Second = "@events/1/00000000000000000002";
    private const string OfB = "@events/2/00000000000000000001";

    private ServerScene _scene = null!;

    public async Task InitializeAsync()
    {
        _scene = await ServerScene.OpenAsync();
        await _scene.PutAsync([("users/1", """{"name":"Ann","@metadata":{"@collection":"Users"}}""")]);
        await AppendAsync("account-a", 1, """{"deposited":10,"by":"users/1"}""", """{"deposited":20}""");
        await AppendAsync("account-b", 1, """{"withdrawn":5}""");
    }

    public async Task DisposeAsync() => await _scene.DisposeAsync();

    [Fact]
    public async Task An_event_is_loaded_by_its_id_and_includes_what_it_refers_to()
    {
        var answer = await _scene.SendAsync("GET", "/docs", $"?id={First}&include=payload.by");

        Assert.Equal(200, answer.Status);
        var loaded = Assert.Single(answer.Json.GetProperty("Results").EnumerateArray());
        Assert.Equal("account-a", loaded.GetProperty("stream").GetString());
        Assert.Equal(10, loaded.GetProperty("payload").GetProperty("deposited").GetInt32());
        Assert.Equal("@events", loaded.GetProperty("@metadata").GetProperty("@collection").GetString());
        Assert.Equal(First, loaded.GetProperty("@metadata").GetProperty("@id").GetString());
        Assert.True(answer.Json.GetProperty("Includes").TryGetProperty("users/1", out _));
        Assert.Equal(404, (await _scene.SendAsync("GET", "/docs", "?id=@events/9/00000000000000000001")).Status);
    }

    [Fact]
    public async Task Events_are_shown_to_a_prefix_that_names_them_and_to_no_other_page_or_count()
    {
        Assert.Equal([First, Second, OfB], await PageAsync("?startsWith=@events/"));
        Assert.Equal([First, Second], await PageAsync("?startsWith=@events/1/"));
        Assert.Equal([Second], await PageAsync("?startsWith=@events/&start=1&pageSize=1"));
        Assert.Equal([OfB], await PageAsync($"?startsWith=@events/&startAfter={Second}"));
        Assert.Equal(["users/1"], await PageAsync(""));
        Assert.Equal(["users/1"], await PageAsync("?startsWith="));
        Assert.Empty(await PageAsync("?startsWith=@"));

        var statistics = (await _scene.SendAsync("GET", "/stats")).Json;
        Assert.Equal(1, statistics.GetProperty("CountOfDocuments").GetInt64());
        Assert.DoesNotContain("@events", (await _scene.SendAsync("GET", "/collections/stats")).Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Queries_find_events_by_their_collection_and_by_ids()
    {
        await RequireAsync("from '@events'", 3, First, Second, OfB);
        await RequireAsync("from @events", 3, First, Second, OfB);
        await RequireAsync("from '@events' order by id() desc", 3, OfB, Second, First);
        await RequireAsync("from '@events' limit 1, 1", 3, Second);
        await RequireAsync($"from '@events' where id() = '{Second}'", 1, Second);
        await RequireAsync(
            $"from '@events' where id() in ('{OfB}', '{First}', 'users/1', '@events/7/00000000000000000001')",
            2,
            First,
            OfB
        );
        await RequireAsync("from '@events' where startsWith(id(), '@events/1/')", 2, First, Second);
        await RequireAsync("from '@events' where startsWith(id(), 'users/')", 0);
        await RequireAsync("from '@all_docs'", 1, "users/1");
        await RequireAsync($"from '@all_docs' where id() in ('{First}', 'users/1')", 1, "users/1");
        await RequireAsync("from '@all_docs' where startsWith(id(), '@events/')", 0);
        await RequireAsync("from Users where startsWith(id(), '@events/')", 0);
        await RequireAsync($"from Users where id() = '{First}'", 0);
    }

    [Fact]
    public async Task Queries_by_fields_find_events_through_an_index()
    {
        await RequireAsync("from '@events' where payload.deposited = 20", 1, Second);
        await RequireAsync("from '@events' where payload.deposited >= 10 order by payload.deposited as long desc", 2, Second, First);
    }

    [Fact]
    public async Task Deleted_events_are_gone_from_pages_queries_and_totals_at_once()
    {
        await DeleteAsync("account-a", 1);

        await RequireAsync("from '@events'", 2, Second, OfB);
        await RequireAsync("from '@events' order by id()", 2, Second, OfB);
        await RequireAsync($"from '@events' where id() in ('{First}', '{Second}')", 1, Second);
        Assert.Equal([Second, OfB], await PageAsync("?startsWith=@events/"));
        Assert.Equal(404, (await _scene.SendAsync("GET", "/docs", $"?id={First}")).Status);
    }

    [Fact]
    public async Task Many_hidden_events_are_passed_and_counted_within_the_limit_on_readers()
    {
        for (var first = 1; first <= 9000; first += 1000)
        {
            var append = new AppendOperation(Limits.Default);
            var group = append.AddGroup();
            group.SetStream("many"u8);
            group.First = first;
            for (var i = 0; i < 1000; i++)
                group.Add(new NewEvent { Payload = "1"u8.ToArray(), IsJson = true });
            append.Complete();
            await _scene.Database.SubmitAsync(append);
        }
        await _scene.Database.SubmitAsync(new DeleteEventsOperation("many"u8, 8998));
        _scene.Clock.Step = TimeSpan.FromMilliseconds(10);

        string[] left = [First, Second, OfB, "@events/3/00000000000000008999", "@events/3/00000000000000009000"];
        await RequireAsync("from '@events'", 5, left);
        Assert.Equal(left, await PageAsync("?startsWith=@events/"));
        await RequireAsync("from '@events' order by id() desc", 5, [.. left.Reverse()]);
        Assert.InRange(_scene.Database.LongestRead, TimeSpan.Zero, Limits.Default.MaxReaderAge);
    }

    [Fact]
    public async Task An_automatic_index_answers_for_members_of_events_and_follows_them()
    {
        const string query = "from '@events' where payload.deposited >= 10 order by payload.deposited as long desc";
        await RequireAsync(query, 2, Second, First);
        await RequireAsync("from '@events' where stream = 'account-b'", 1, OfB);
        await RequireAsync("from '@all_docs' where stream = 'account-b'", 0);

        await _scene.PauseIndexesAsync();
        await AppendAsync("account-b", 2, """{"deposited":30}""");
        var stale = await QueryAsync(query, waits: false);
        Assert.True(stale.GetProperty("IsStale").GetBoolean());
        Assert.Equal(2, stale.GetProperty("TotalResults").GetInt32());
        _scene.Indexes.Resume();
        await RequireAsync(query, 3, "@events/2/00000000000000000002", Second, First);

        await _scene.PauseIndexesAsync();
        await DeleteAsync("account-a", 1);
        stale = await QueryAsync(query, waits: false);
        Assert.True(stale.GetProperty("IsStale").GetBoolean());
        Assert.Equal(["@events/2/00000000000000000002", Second], Ids(stale));
        _scene.Indexes.Resume();
        await RequireAsync(query, 2, "@events/2/00000000000000000002", Second);
        // What documents do concerns it no more than what other collections do.
        await _scene.PauseIndexesAsync();
        await _scene.PutAsync([("users/2", """{"@metadata":{"@collection":"Users"}}""")]);
        Assert.False((await QueryAsync(query, waits: false)).GetProperty("IsStale").GetBoolean());
        _scene.Indexes.Resume();
    }

    [Fact]
    public async Task Scripts_load_events()
    {
        var rows = await QueryAsync(
            $$"""declare function f(u) { return { deposited: load('{{First}}').payload.deposited }; } from Users as u select f(u)"""
        );
        Assert.Equal(10, rows.GetProperty("Results")[0].GetProperty("deposited").GetInt32());

        var patch =
            $$$"""{"Patch":{"Script":"this.sum = load('{{{First}}}').payload.deposited + load('{{{Second}}}').payload.deposited; this.none = load('@events/9/00000000000000000001');"}}""";
        var patched = await _scene.SendAsync("PATCH", "/docs", "?id=users/1", patch);
        Assert.True(patched.Status == 200, patched.Text);
        var user = (await _scene.SendAsync("GET", "/docs", "?id=users/1")).Json.GetProperty("Results")[0];
        Assert.Equal(30, user.GetProperty("sum").GetInt32());
        Assert.Equal(JsonValueKind.Null, user.GetProperty("none").ValueKind);
    }

    [Fact]
    public async Task Nothing_but_event_streams_writes_events()
    {
        var before = (await _scene.SendAsync("GET", "/docs", $"?id={First}")).Text;
        await RefusesAsync("PUT", "/docs", $"?id={First}", "{}");
        await RefusesAsync("DELETE", "/docs", $"?id={First}");
        await RefusesAsync("PATCH", "/docs", $"?id={First}", """{"Patch":{"Script":"this.x = 1"}}""");
        await RefusesAsync(
            "PATCH",
            "/docs",
            "?id=@events/9/00000000000000000001",
            """{"Patch":{"Script":""},"PatchIfMissing":{"Script":"this.x = 1"}}"""
        );
        foreach (
            var command in new[]
            {
                $$$"""{"Type":"PUT","Id":"{{{First}}}","Document":{}}""",
                """{"Type":"PUT","Id":"x/1","Document":{"@metadata":{"@collection":"@events"}}}""",
                $$"""{"Type":"DELETE","Id":"{{First}}"}""",
                """{"Type":"DELETE","Id":"@events/1","IdPrefixed":true}""",
                $$$"""{"Type":"PATCH","Id":"{{{First}}}","Patch":{"Script":"this.x = 1"}}""",
                $$$"""{"Type":"BatchPATCH","Ids":[{"Id":"{{{First}}}"}],"Patch":{"Script":"this.x = 1"}}""",
            }
        )
            await RefusesAsync("POST", "/bulk_docs", "", $$"""{"Commands":[{{command}}]}""");
        await RefusesAsync(
            "POST",
            "/bulk_docs",
            "",
            $$$"""{"Commands":[{"Type":"PATCH","Id":"users/1","Patch":{"Script":"del('{{{First}}}')"}}]}"""
        );
        await RefusesAsync("DELETE", "/queries", "", """{"Query":"from '@events'"}""");
        await RefusesAsync("DELETE", "/queries", "", """{"Query":"from '@Events' where payload.deposited = 10"}""");
        await RefusesAsync("PATCH", "/queries", "", """{"Query":{"Query":"from '@events' update { this.x = 1 }"}}""");

        Assert.Equal(before, (await _scene.SendAsync("GET", "/docs", $"?id={First}")).Text);
    }

    private async Task RefusesAsync(string method, string path, string query = "", string body = "")
    {
        var answer = await _scene.SendAsync(method, path, query, body);
        Assert.True(answer.Status is >= 400 and < 500, $"{method} {path} {body}: {answer.Status} {answer.Text}");
        Assert.Contains("read-only as documents", answer.Text, StringComparison.Ordinal);
    }

    private async Task RequireAsync(string query, int total, params string[] ids)
    {
        var answer = await QueryAsync(query);
        Assert.Equal(ids, Ids(answer));
        Assert.Equal(total, answer.GetProperty("TotalResults").GetInt32());
        Assert.False(answer.GetProperty("IsStale").GetBoolean());
    }

    private async Task<JsonElement> QueryAsync(string query, bool waits = true)
    {
        var body = JsonSerializer.Serialize(
            new
            {
                Query = query,
                WaitForNonStaleResults = waits,
                WaitForNonStaleResultsTimeout = "00:01:00",
            }
        );
        var answer = await _scene.SendAsync("POST", "/queries", body: body);
        Assert.True(answer.Status == 200, answer.Text);
        return answer.Json;
    }

    private static string[] Ids(JsonElement answer) =>
        [
            .. answer
                .GetProperty("Results")
                .EnumerateArray()
                .Select(result => result.GetProperty("@metadata").GetProperty("@id").GetString()!),
        ];

    private async Task<string[]> PageAsync(string query) => Ids((await _scene.SendAsync("GET", "/docs", query)).Json);

    private async Task AppendAsync(string stream, long first, params string[] payloads)
    {
        var events = string.Join(',', payloads.Select(payload => $$"""{"payload":{{payload}}}"""));
        var answer = await _scene.SendAsync(
            "POST",
            "/events",
            body: $$"""{"groups":[{"stream":"{{stream}}","first":{{first}},"events":[{{events}}]}]}"""
        );
        Assert.Contains("\"stored\"", answer.Text, StringComparison.Ordinal);
    }

    private async Task DeleteAsync(string stream, long to) =>
        Assert.Equal(200, (await _scene.SendAsync("DELETE", "/events", $"?stream={stream}&to={to}")).Status);
}
