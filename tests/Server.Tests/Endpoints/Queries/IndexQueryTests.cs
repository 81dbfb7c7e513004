using System.Text;
using System.Text.Json;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.Queries;

/// <summary>Answers of queries that ask an index: staleness, waiting, what goes on in later moments, what ends a query.</summary>
public sealed class IndexQueryTests : IAsyncLifetime
{
    private ServerScene _scene = null!;

    public async Task InitializeAsync() => _scene = await ServerScene.OpenAsync();

    public Task DisposeAsync() => _scene.DisposeAsync().AsTask();

    [Fact]
    public async Task An_answer_is_stale_while_the_index_has_not_seen_everything_and_says_so()
    {
        await PutAsync("users/1", "Ann");
        Assert.False(IsStale(await QueryAsync("from Users where name = 'ann'")));
        await _scene.PauseIndexesAsync();
        await PutAsync("users/2", "Ann");
        await _scene.PutAsync([("others/1", """{"@metadata":{"@collection":"Others"}}""")]);

        var stale = await QueryAsync("from Users where name = 'ann'");
        Assert.True(IsStale(stale));
        Assert.Equal(1, stale.Json.GetProperty("TotalResults").GetInt32());

        _scene.Indexes.Resume();
        var fresh = await QueryAsync("from Users where name = 'ann'", """,  "WaitForNonStaleResults":true""");
        Assert.False(IsStale(fresh));
        Assert.Equal(2, fresh.Json.GetProperty("TotalResults").GetInt32());
        Assert.NotEqual(Etag(stale), Etag(fresh));
    }

    [Fact]
    public async Task Writes_to_other_collections_do_not_make_an_answer_stale_and_leave_it_confirmed()
    {
        await PutAsync("users/1", "Ann");
        var first = await QueryAsync("from Users where name = 'ann'");
        await _scene.PauseIndexesAsync();
        await _scene.PutAsync([("others/1", """{"@metadata":{"@collection":"Others"}}""")]);

        var confirmed = await SendAsync("from Users where name = 'ann'", "", first.Headers["ETag"]);
        Assert.Equal(304, confirmed.Status);

        await PutAsync("users/2", "Bob");
        var changed = await SendAsync("from Users where name = 'ann'", "", first.Headers["ETag"]);
        Assert.Equal(200, changed.Status);
        Assert.True(IsStale(changed));
    }

    [Theory]
    [InlineData("from Users where name = 'ann' include boss")]
    [InlineData("from Users as u where u.name = 'ann' load u.boss as b select { boss: b ? b.name : null }")]
    public async Task An_answer_that_shows_other_documents_is_not_confirmed_when_those_change(string query)
    {
        await PutAsync("users/1", "Ann");
        var first = await QueryAsync(query);
        await _scene.PutAsync([("others/1", """{"@metadata":{"@collection":"Others"}}""")]);

        Assert.Equal(200, (await SendAsync(query, "", first.Headers["ETag"])).Status);
    }

    [Fact]
    public async Task A_random_order_is_never_confirmed()
    {
        await PutAsync("users/1", "Ann");

        Assert.False((await QueryAsync("from Users order by random()")).Headers.ContainsKey("ETag"));
        Assert.True((await QueryAsync("from Users order by random('seed')")).Headers.ContainsKey("ETag"));
    }

    [Theory]
    [InlineData("20")]
    [InlineData("\"00:00:00.020\"")]
    public async Task A_wait_that_is_too_long_is_an_error_of_the_kind_that_clients_know(string timeout)
    {
        await PutAsync("users/1", "Ann");
        await QueryAsync("from Users where name = 'ann'");
        await _scene.PauseIndexesAsync();
        await PutAsync("users/2", "Ann");

        var answer = await SendAsync(
            "from Users where name = 'ann'",
            $$""", "WaitForNonStaleResults":true, "WaitForNonStaleResultsTimeout":{{timeout}}"""
        );

        Assert.Equal(500, answer.Status);
        Assert.Equal("System.TimeoutException", answer.Json.GetProperty("Type").GetString());
        Assert.Contains("Auto/Users/Byname", answer.Json.GetProperty("Message").GetString(), StringComparison.Ordinal);
        Assert.Contains("0.02 seconds", answer.Json.GetProperty("Message").GetString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("-1")]
    [InlineData("\"soon\"")]
    [InlineData("\"1.00\"")]
    public async Task A_wait_that_is_no_time_is_refused(string timeout)
    {
        var answer = await SendAsync("from Users", $$""", "WaitForNonStaleResultsTimeout":{{timeout}}""");

        Assert.Equal(timeout == "\"1.00\"" ? 200 : 400, answer.Status);
    }

    /// <summary>What is not understood must not be answered with stale results, or with a wait of 15 seconds.</summary>
    [Theory]
    [InlineData("WaitForNonStaleResults", "\"true\"")]
    [InlineData("WaitForNonStaleResults", "1")]
    [InlineData("WaitForNonStaleResultsTimeout", "true")]
    [InlineData("WaitForNonStaleResultsTimeout", "[100]")]
    public async Task A_wait_of_another_kind_is_refused(string property, string value)
    {
        var answer = await SendAsync("from Users", $$""", "{{property}}":{{value}}""");

        Assert.True(answer.Status == 400, answer.Text);
        Assert.Contains(property, answer.Json.GetProperty("Message").GetString(), StringComparison.Ordinal);
        Assert.Equal(200, (await SendAsync("from Users", $$""", "{{property}}":null""")).Status);
    }

    [Fact]
    public async Task A_batch_waits_for_the_indexes_of_its_collections_or_says_that_it_is_saved_all_the_same()
    {
        await PutAsync("users/1", "Ann");
        await QueryAsync("from Users where name = 'ann'");
        await _scene.PauseIndexesAsync();

        var late = await BatchAsync("?waitForIndexesTimeout=00:00:00.020&waitForIndexThrow=true", "users/2", "Users");
        Assert.Equal((500, "System.TimeoutException"), (late.Status, late.Json.GetProperty("Type").GetString()));
        Assert.Contains("saved", late.Json.GetProperty("Message").GetString(), StringComparison.Ordinal);
        Assert.Equal(200, (await _scene.SendAsync("GET", "/docs", "?id=users/2")).Status);

        Assert.Equal(201, (await BatchAsync("?waitForIndexesTimeout=00:00:00.020&waitForIndexThrow=false", "users/3", "Users")).Status);
        Assert.Equal(201, (await BatchAsync("?waitForIndexesTimeout=00:00:30&waitForIndexThrow=true", "others/1", "Others")).Status);
        var named = "?waitForIndexesTimeout=00:00:00.020&waitForIndexThrow=true&waitForSpecificIndex=Auto/Users/Byname";
        Assert.Equal(500, (await BatchAsync(named, "users/4", "Users")).Status);

        _scene.Indexes.Resume();
        Assert.Equal(201, (await BatchAsync("?waitForIndexesTimeout=00:00:30&waitForIndexThrow=true", "users/5", "Users")).Status);
        Assert.Equal(5, Total(await QueryAsync("from Users where name = 'ann'")));
    }

    [Theory]
    [InlineData("id() = true", "true")]
    [InlineData("id() = $true", "true")]
    [InlineData("id() in (true, $true, 5)", "5 true")]
    [InlineData("id() in ($list)", "5 true")]
    [InlineData("id() = 05", "5")]
    [InlineData("id() = $five", "5")]
    [InlineData("id() = null", "")]
    [InlineData("id() = '2026-11-22'", "2026-11-22")]
    [InlineData("startsWith(id(), true)", "true")]
    [InlineData("exact(regex(id(), '^TR'))", "true")]
    public async Task A_condition_on_ids_means_the_same_in_where_and_in_filter(string condition, string ids)
    {
        await _scene.PutAsync(
            ((string[])["true", "5", "2026-11-22", "other"]).Select(id => (id, """{"@metadata":{"@collection":"Users"}}"""))
        );
        const string Parameters = """, "QueryParameters":{"true":true,"five":5,"list":[true,5,null]}""";

        // The collection answers, or an index; a filter looks at documents.
        string[] asked = [$"where {condition}", $"where {condition} and name = null or {condition}", $"filter {condition}"];
        foreach (string clause in asked)
        {
            var answer = await SendAsync($"from Users {clause}", Parameters);
            Assert.True(answer.Status == 200, $"{clause}: {answer.Text}");
            Assert.Equal(ids, string.Join(' ', Ids(answer).Order(StringComparer.Ordinal)));
        }
    }

    [Theory]
    [InlineData("where at <= now()")]
    [InlineData("filter at <= now()")]
    public async Task A_query_by_the_time_is_answered_anew_although_nothing_was_written(string clause)
    {
        var now = _scene.Clock.GetUtcNow();
        await _scene.PutAsync(
            Enumerable
                .Range(-1, 3)
                .Select(i => ($"terms/{i + 1}", $$$"""{"at":"{{{now.AddHours(i):O}}}","@metadata":{"@collection":"Terms"}}"""))
        );
        var first = await QueryAsync($"from Terms {clause}");
        Assert.Equal(["terms/0", "terms/1"], Ids(first));
        Assert.False(first.Headers.ContainsKey("ETag"));

        _scene.Clock.Jump(TimeSpan.FromHours(1));

        Assert.Equal(["terms/0", "terms/1", "terms/2"], Ids(await QueryAsync($"from Terms {clause}")));
        Assert.Equal(["terms/0"], Ids(await QueryAsync($"from Terms {clause.Replace("now()", "now('-2h')", StringComparison.Ordinal)}")));
        Assert.Empty(Ids(await QueryAsync($"from Terms {clause.Replace("now()", "today()", StringComparison.Ordinal)}")));
    }

    [Fact]
    public async Task A_deletion_by_the_time_deletes_what_was_due_when_it_began()
    {
        var now = _scene.Clock.GetUtcNow();
        foreach (int hours in (int[])[-1, 1])
            await _scene.PutAsync([($"terms/{hours}", $$$"""{"at":"{{{now.AddHours(hours):O}}}","@metadata":{"@collection":"Terms"}}""")]);

        var state = await OperationAsync("DELETE", "from Terms where at < now()");

        Assert.Equal("Completed", state.GetProperty("Status").GetString());
        Assert.Equal(["terms/1"], Ids(await QueryAsync("from Terms")));
    }

    [Theory]
    [InlineData("search(text, '\"red wine\"')", "1 3")]
    [InlineData("search(text, '\"Wine red\"')", "2")]
    [InlineData("search(text, '\"red wine\" white')", "1 3 4")]
    [InlineData("search(text, 'ch* \"red wine\"', and)", "1")]
    [InlineData("search(text, '\"cheap red\" \"red wine\"', and)", "1")]
    [InlineData("search(text, '\"bread and wine\"')", "4")]
    [InlineData("search(text, '\"bread wine\"')", "")]
    [InlineData("search(text, '\"white bread')", "4")]
    [InlineData("search(text, '\"\"')", "")]
    [InlineData("search(text, $quoted)", "1 3")]
    [InlineData("not search(text, '\"red wine\"')", "2 4 5 6 7")]
    [InlineData("search(text, '\"5 7\"')", "")]
    [InlineData("search(text, '\"the red wine of the\"')", "1 3")]
    [InlineData("search(text, '\"wine\"')", "1 2 3 4")]
    [InlineData("search(text, '\"of the\" cheap', and)", "1")]
    [InlineData("search(text, '\"5* hotel\"')", "6")]
    [InlineData("search(text, '*\"5 hotel\"*')", "6")]
    [InlineData("search(text, '12\" pipe 14\" tube')", "7")]
    [InlineData("search(text, $escaped)", "7")]
    [InlineData("search(tags, '\"old oak\"')", "5")]
    [InlineData("search(tags, '\"red wine\"')", "")]
    public async Task A_phrase_is_searched_in_each_value_alone(string condition, string ids)
    {
        string[] documents =
        [
            """{"text":"Cheap red wine","tags":["red","wine"]""",
            """{"text":"Wine: red"  """,
            """{"text":["old","a red-wine glass"]""",
            """{"text":"white bread and wine"  """,
            """{"text":[5,7],"tags":["x","Old oak"]""",
            """{"text":"A 5* Hotel"  """,
            """{"text":"pipe of 12\", the 12\" pipe"  """,
        ];
        await _scene.PutAsync(
            documents.Select((document, i) => ($"texts/{i + 1}", document + ""","@metadata":{"@collection":"Texts"}}"""))
        );

        var answer = await SendAsync(
            $"from Texts where {condition.Replace("\"", "\\\"", StringComparison.Ordinal)}",
            """, "QueryParameters":{"quoted":"\"red wine\"","escaped":"\"12\\\" pipe\""}"""
        );

        Assert.True(answer.Status == 200, answer.Text);
        Assert.Equal(ids, string.Join(' ', Ids(answer).Select(id => id["texts/".Length..])));
        Assert.Equal(ids.Length == 0 ? 0 : ids.Split(' ').Length, Total(answer));
    }

    [Fact]
    public async Task A_batch_that_waits_for_an_index_that_is_not_there_is_refused_before_it_is_saved()
    {
        await PutAsync("users/1", "Ann");
        await QueryAsync("from Users where name = 'ann'");
        var named = "?waitForIndexesTimeout=00:00:30&waitForSpecificIndex=auto/users/BYNAME&waitForSpecificIndex=Auto/Users/Byage";

        var refused = await BatchAsync(named + "&waitForIndexThrow=true", "users/2", "Users");

        Assert.Equal("Raven.Client.Exceptions.Documents.Indexes.IndexDoesNotExistException", refused.Json.GetProperty("Type").GetString());
        Assert.Contains("'Auto/Users/Byage'", refused.Json.GetProperty("Message").GetString(), StringComparison.Ordinal);
        Assert.Equal(404, (await _scene.SendAsync("GET", "/docs", "?id=users/2")).Status);
        // Who wants no error because of indexes gets none.
        Assert.Equal(201, (await BatchAsync(named + "&waitForIndexThrow=false", "users/2", "Users")).Status);
    }

    [Fact]
    public async Task Documents_that_are_gone_since_the_index_saw_them_are_passed_over_and_counted()
    {
        await PutAsync("users/1", "Ann");
        await PutAsync("users/2", "Ann");
        await PutAsync("users/3", "Ann");
        await QueryAsync("from Users where name = 'ann'");
        await _scene.PauseIndexesAsync();
        await _scene.SendAsync("DELETE", "/docs", "?id=users/2");
        // Moved to another collection under the same id.
        await _scene.SendAsync("DELETE", "/docs", "?id=users/3");
        await _scene.PutAsync([("users/3", """{"name":"Ann","@metadata":{"@collection":"Others"}}""")]);

        var answer = await QueryAsync("from Users where name = 'ann'");

        Assert.Equal(["users/1"], Ids(answer));
        Assert.Equal((3, 2), (Total(answer), answer.Json.GetProperty("SkippedResults").GetInt32()));
        Assert.True(IsStale(answer));
    }

    [Theory]
    [InlineData("from Users where exists(n)")]
    [InlineData("from Users where n >= 0 order by n as long")]
    [InlineData("from Users where n >= 0 order by n as long desc, id()")]
    [InlineData("from Users order by random('seed')")]
    [InlineData("from Users where n > 9 limit 150, 700")]
    [InlineData("from Users as u where n >= 0 select { n: u.n }")]
    public async Task An_answer_that_takes_many_moments_gives_the_same_as_one_moment(string query)
    {
        await _scene.PutAsync(
            Enumerable.Range(0, 1000).Select(i => ($"users/{i}", $$$"""{"n":{{{i % 97}}},"@metadata":{"@collection":"Users"}}"""))
        );
        var whole = Ids(await QueryAsync(query, """, "WaitForNonStaleResults":true"""));
        var before = _scene.Database.ReadersEnded;
        _scene.Clock.Step = TimeSpan.FromMilliseconds(30);

        var pieces = Ids(await QueryAsync(query));
        var lines = (await _scene.SendAsync("POST", "/streams/queries", "?format=jsonl", BodyOf(query))).Text.Split('\n')[1..^1];
        _scene.Clock.Step = TimeSpan.Zero;

        Assert.Equal(whole, pieces);
        Assert.Equal(whole, lines.Select(line => IdOf(JsonDocument.Parse(line).RootElement.GetProperty("Item"))));
        Assert.InRange(_scene.Database.ReadersEnded - before, 20, long.MaxValue);
    }

    [Theory]
    [InlineData("/streams/queries")]
    [InlineData("/queries")]
    public async Task A_long_answer_goes_on_when_its_index_is_replaced_meanwhile(string path)
    {
        const int Users = 3000;
        var text = new string('x', 1000);
        await _scene.PutAsync(
            Enumerable
                .Range(0, Users)
                .Select(i => ($"users/{i}", $$$"""{"name":"Ann","text":"{{{text}}}","@metadata":{"@collection":"Users"}}"""))
        );
        await QueryAsync("from Users where name = 'ann' limit 1", """,  "WaitForNonStaleResults":true""");
        var answer = new AnswerStream(
            keeps: true,
            async write =>
            {
                if (write > 1)
                    return;
                await _scene.Indexes.EnsureAutomaticAsync(new AutoIndexDefinition("Users", [new AutoIndexField("age")]), default);
                await Eventually.IsAsync(() => _scene.Indexes.All is [{ IsReplacement: false, Definition.Fields.Count: 2 }]);
            }
        );

        var served = await _scene.SendAsync("POST", path, body: BodyOf("from Users where name = 'ann'"), answer: answer);

        Assert.False(served.WasAborted);
        Assert.Equal(Users, Ids(served).Distinct().Count());
        Assert.Equal(Users, Ids(served).Length);
    }

    [Fact]
    public async Task A_stream_in_the_classic_form_has_its_properties_in_the_order_of_the_protocol()
    {
        await PutAsync("users/1", "Ann");

        var answer = await _scene.SendAsync("POST", "/streams/queries", body: BodyOf("from Users where name = 'ann'"));

        Assert.Equal(
            ["ResultEtag", "IsStale", "IndexName", "TotalResults", "IndexTimestamp", "Results"],
            answer.Json.EnumerateObject().Select(member => member.Name)
        );
        Assert.Equal("Auto/Users/Byname", answer.Json.GetProperty("IndexName").GetString());
    }

    [Fact]
    public async Task An_answer_has_its_properties_in_the_order_of_the_protocol()
    {
        await PutAsync("users/1", "Ann");

        var answer = await QueryAsync("from Users where name = 'ann' filter name = 'ann' include timings(), boss limit 5");

        Assert.Equal(
            [
                "TotalResults",
                "LongTotalResults",
                "SkippedResults",
                "CappedMaxResults",
                "ScannedResults",
                "DurationInMs",
                "IncludedPaths",
                "IndexName",
                "Results",
                "Includes",
                "IndexTimestamp",
                "LastQueryTime",
                "IsStale",
                "ResultEtag",
                "NodeTag",
                "Timings",
            ],
            answer.Json.EnumerateObject().Select(member => member.Name)
        );
        Assert.Equal(3, answer.Json.GetProperty("Timings").GetProperty("Timings").EnumerateObject().Count());
    }

    [Fact]
    public async Task Debugging_shows_which_index_answers_and_why_what_it_holds_and_how_it_finds_it()
    {
        await PutAsync("users/1", "Ann Archer");
        var unmade = await _scene.SendAsync("POST", "/queries", "?debug=explain", BodyOf("from Users where name = 'ann'"));
        Assert.Empty(_scene.Indexes.All);
        Assert.Equal("Auto/Users/Byname", unmade.Json.GetProperty("Results")[0].GetProperty("Index").GetString());
        Assert.Contains("would be made", unmade.Json.GetProperty("Results")[0].GetProperty("Reason").GetString(), StringComparison.Ordinal);

        await QueryAsync("from Users where search(name, 'ann')");
        await QueryAsync("from @all_docs where size = 5");
        var explained = await _scene.SendAsync("POST", "/queries", "?debug=explain", BodyOf("from Users where name = 'ann'"));
        var reasons = explained.Json.GetProperty("Results").EnumerateArray().ToArray();
        Assert.Equal("Auto/Users/Bysearch(name)", reasons[0].GetProperty("Index").GetString());
        Assert.Contains("has every field", reasons[0].GetProperty("Reason").GetString(), StringComparison.Ordinal);
        Assert.Contains("of all documents", reasons[1].GetProperty("Reason").GetString(), StringComparison.Ordinal);
        Assert.Contains("name = 'ann'", explained.Json.GetProperty("Plan").GetString(), StringComparison.Ordinal);
        Assert.NotEmpty(explained.Json.GetProperty("Search").GetString()!);

        var entries = await _scene.SendAsync("POST", "/queries", "?debug=entries", BodyOf("from Users where search(name, 'ann')"));
        var entry = Assert.Single(entries.Json.GetProperty("Results").EnumerateArray());
        Assert.Equal("ann archer", entry.GetProperty("name")[0].GetString());
        Assert.Equal(["ann", "archer"], entry.GetProperty("search(name)").EnumerateArray().Select(term => term.GetString()));
        Assert.Equal("users/1", entry.GetProperty("id()")[0].GetString());
    }

    [Fact]
    public async Task Patches_and_deletions_by_query_wait_for_the_index_and_visit_each_document_once()
    {
        await _scene.PutAsync(
            Enumerable.Range(0, 2500).Select(i => ($"users/{i}", $$$"""{"n":{{{i}}},"@metadata":{"@collection":"Users"}}"""))
        );

        var patched = await OperationAsync(
            "PATCH",
            "from Users where n < 2000 order by n as long update { this.n += 500; this.times = (this.times ?? 0) + 1 }"
        );
        Assert.Equal(
            ("Completed", 2000),
            (patched.GetProperty("Status").GetString(), patched.GetProperty("Result").GetProperty("Total").GetInt32())
        );
        Assert.Equal(2000, Total(await QueryAsync("from Users where times = 1", """, "WaitForNonStaleResults":true""")));
        Assert.Equal(0, Total(await QueryAsync("from Users where times > 1")));

        var deleted = await OperationAsync("DELETE", "from Users where times = 1");
        Assert.Equal(2000, deleted.GetProperty("Result").GetProperty("Total").GetInt32());
        Assert.Equal(500, Total(await QueryAsync("from Users where exists(n)", """, "WaitForNonStaleResults":true""")));
    }

    [Fact]
    public async Task An_operation_by_query_over_a_stale_index_is_refused_unless_it_allows_that()
    {
        await PutAsync("users/1", "Ann");
        await QueryAsync("from Users where name = 'ann'");
        await _scene.PauseIndexesAsync();
        await PutAsync("users/2", "Ann");

        var refused = await OperationAsync("DELETE", "from Users where name = 'ann'", "?allowStale=&staleTimeout=00:00:00.020");
        Assert.Equal("Faulted", refused.GetProperty("Status").GetString());
        Assert.Equal("System.TimeoutException", refused.GetProperty("Result").GetProperty("Type").GetString());
        var allowed = await OperationAsync("DELETE", "from Users where name = 'ann'", "?allowStale=true");
        Assert.Equal(1, allowed.GetProperty("Result").GetProperty("Total").GetInt32());
    }

    [Fact]
    public async Task Seventy_thousand_terms_a_huge_page_and_odd_names_are_answered()
    {
        await _scene.PutAsync([("users/1", """{"full name":"Ann","a.b":1,"it's":2,"@metadata":{"@collection":"Users"}}""")]);
        var terms = string.Join(',', Enumerable.Range(0, 70_000).Select(i => $"'t{i}'"));
        var text = new StringBuilder("from Users where 'full name' in ($list)").ToString();

        var many = await _scene.SendAsync(
            "POST",
            "/queries",
            "",
            $$$"""{"Query":"{{{text}}}","QueryParameters":{"list":["ann",{{{terms.Replace('\'', '"')}}}]}}"""
        );
        Assert.Equal(1, Total(many));
        Assert.Equal(1, Total(await QueryAsync("from Users where 'a.b' = 1 limit 2000000000")));
        Assert.Equal(1, Total(await QueryAsync("from Users where 'it\\\\'s' = 2 limit 0, 2147483647")));
        Assert.Equal(0, Total(await QueryAsync("from Users where a.b = 1")));
    }

    [Fact]
    public async Task A_query_that_is_killed_or_takes_too_long_ends_and_is_remembered_as_slow()
    {
        await PutAsync("users/1", "Ann");
        await _scene.PauseIndexesAsync();
        var waiting = SendAsync(
            "from Users where name = 'ann'",
            """, "WaitForNonStaleResults":true, "WaitForNonStaleResultsTimeout":600000"""
        );
        long id = 0;
        await Eventually.IsAsync(async () =>
        {
            var running = (await _scene.SendAsync("GET", "/debug/queries")).Json.GetProperty("Running").EnumerateArray().ToArray();
            id =
                running.Length == 1 && running[0].GetProperty("IndexName").GetString() == "Auto/Users/Byname"
                    ? running[0].GetProperty("Id").GetInt64()
                    : 0;
            return id > 0;
        });

        Assert.Equal(204, (await _scene.SendAsync("POST", "/debug/queries/kill", $"?id={id}")).Status);

        var ended = await waiting;
        Assert.Equal((500, "System.TimeoutException"), (ended.Status, ended.Json.GetProperty("Type").GetString()));
        Assert.Contains("killed", ended.Json.GetProperty("Message").GetString(), StringComparison.Ordinal);
        Assert.Empty((await _scene.SendAsync("GET", "/debug/queries")).Json.GetProperty("Running").EnumerateArray());
        Assert.Equal(400, (await _scene.SendAsync("POST", "/debug/queries/kill", $"?id={id}")).Status);
    }

    [Fact]
    public async Task A_query_has_a_time_limit()
    {
        await using var scene = await ServerScene.OpenAsync(settings: ["--Databases.QueryTimeoutInSec=2"]);
        await scene.PutAsync([("users/1", """{"name":"Ann","@metadata":{"@collection":"Users"}}""")]);
        await scene.PauseIndexesAsync();

        var answer = await scene.SendAsync(
            "POST",
            "/queries",
            "",
            """{"Query":"from Users where name = 'ann'","WaitForNonStaleResults":true,"WaitForNonStaleResultsTimeout":600000}"""
        );

        Assert.Equal((500, "System.TimeoutException"), (answer.Status, answer.Json.GetProperty("Type").GetString()));
        Assert.Contains("Databases.QueryTimeoutInSec", answer.Json.GetProperty("Message").GetString(), StringComparison.Ordinal);
        // It is noted as it ends, which may be after its answer; and only what took longer than a second is slow.
        await Eventually.IsAsync(async () =>
            (await scene.SendAsync("GET", "/debug/queries"))
                .Json.GetProperty("Slow")
                .EnumerateArray()
                .Any(slow => slow.GetProperty("Query").GetString() == "from Users where name = 'ann'")
        );
    }

    private static bool IsStale(ServedAnswer answer) => answer.Json.GetProperty("IsStale").GetBoolean();

    private static long Etag(ServedAnswer answer) => answer.Json.GetProperty("ResultEtag").GetInt64();

    private static int Total(ServedAnswer answer)
    {
        Assert.True(answer.Status == 200, answer.Text);
        return answer.Json.GetProperty("TotalResults").GetInt32();
    }

    private static string[] Ids(ServedAnswer answer) => [.. answer.Json.GetProperty("Results").EnumerateArray().Select(IdOf)];

    private static string IdOf(JsonElement result) => result.GetProperty("@metadata").GetProperty("@id").GetString()!;

    private static string BodyOf(string query, string more = "") => $$"""{"Query":"{{query}}"{{more}}}""";

    private Task PutAsync(string id, string name) =>
        _scene.PutAsync([(id, $$$"""{"name":"{{{name}}}","boss":"users/1","@metadata":{"@collection":"Users"}}""")]);

    private async Task<ServedAnswer> QueryAsync(string query, string more = "")
    {
        var answer = await SendAsync(query, more);
        Assert.True(answer.Status == 200, answer.Text);
        return answer;
    }

    private Task<ServedAnswer> SendAsync(string query, string more, string? etag = null) =>
        _scene.SendAsync(
            "POST",
            "/queries",
            "?queryHash=1",
            BodyOf(query, more),
            headers: etag is null ? null : new Dictionary<string, string> { ["If-None-Match"] = etag }
        );

    private Task<ServedAnswer> BatchAsync(string query, string id, string collection) =>
        _scene.SendAsync(
            "POST",
            "/bulk_docs",
            query,
            $$"""{"Commands":[{"Type":"PUT","Id":"{{id}}","Document":{"name":"Ann","@metadata":{"@collection":"{{collection}}"} } }]}"""
        );

    /// <summary>The state of an operation by query at its end.</summary>
    private async Task<JsonElement> OperationAsync(string method, string query, string parameters = "?allowStale=false")
    {
        var begun = await _scene.SendAsync(method, "/queries", parameters, $$$"""{"Query":{"Query":"{{{query}}}"}}""");
        Assert.True(begun.Status == 200, begun.Text);
        var id = begun.Json.GetProperty("OperationId").GetInt64();
        JsonElement state = default;
        await Eventually.IsAsync(async () =>
        {
            state = (await _scene.SendAsync("GET", "/operations/state", $"?id={id}")).Json;
            return state.GetProperty("Status").GetString() != "InProgress";
        });
        return state;
    }
}
