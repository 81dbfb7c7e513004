using System.Globalization;
using Jackdaw.Documents;

namespace Jackdaw.Server.Tests.Serving;

/// <summary>Every request that goes over many documents, on a clock that passes 10 ms whenever it is looked at.</summary>
[Collection(MemoryMeasured.Name)]
[Trait("Category", "Slow")]
public sealed class BoundedReaderTests : IAsyncLifetime
{
    private const int Documents = 20_000;

    /// <summary>What a request may keep alive while its client is slow.</summary>
    private const long MostRequestBytes = 16 << 20;

    private ServerScene _scene = null!;

    public static TheoryData<string, string, string, string> Requests =>
        new()
        {
            { "GET", "/docs", "", "" },
            { "GET", "/docs", "?start=19000&pageSize=10", "" },
            { "GET", "/docs", "?startsWith=items/", "" },
            { "GET", "/docs", "?startsWith=items/&matches=*nothing", "" },
            { "GET", "/docs", "?startsWith=items/&exclude=*&include=next", "" },
            { "GET", "/docs", "?startsWith=items/&start=19990&pageSize=5", "" },
            { "GET", "/docs", "?startsWith=items/&pageSize=3000&include=next", "" },
            { "GET", "/docs", "?metadataOnly=true&include=next", "" },
            { "GET", "/streams/docs", "", "" },
            { "GET", "/streams/docs", "?startsWith=items/&matches=*nothing", "" },
            { "POST", "/queries", "", "from @all_docs" },
            { "POST", "/queries", "", "from Items order by id()" },
            { "POST", "/queries", "", "from @all_docs order by id() desc limit 1 offset 19990" },
            { "POST", "/queries", "", "from Others where startsWith(id(), 'items/')" },
            { "POST", "/queries", "", "from Items where startsWith(id(), 'items/') limit 3" },
            { "POST", "/queries", "", "from Items include next limit 5000" },
            { "POST", "/queries", "", "from Items filter next = 'nothing'" },
            { "POST", "/queries", "", "from Items filter next in ('refs/1', 'refs/2')" },
            { "POST", "/queries", "", "from Items select distinct next" },
            { "POST", "/queries", "", "from Items where startsWith(next, 'refs/') order by next limit 5000" },
            { "POST", "/streams/queries", "", "from Items where startsWith(id(), 'items/')" },
            { "POST", "/streams/queries", "", "from Items where startsWith(next, 'refs/')" },
            { "POST", "/streams/queries", "", "from Others where startsWith(id(), 'items/')" },
            { "POST", "/docs", "?include=next", "ids" },
        };

    public async Task InitializeAsync()
    {
        _scene = await ServerScene.OpenAsync();
        await _scene.PutAsync(Enumerable.Range(0, Documents).Select(i => (Id(i), Body(i))));
        await _scene.PutAsync(Enumerable.Range(0, 4000).Select(i => ($"refs/{i}", $$"""{"Text":"{{new string('x', 500)}}"}""")));
        await _scene.PutAsync([("others/1", """{"@metadata":{"@collection":"Others"}}""")]);
        _scene.Clock.Step = TimeSpan.FromMilliseconds(10);
    }

    public async Task DisposeAsync() => await _scene.DisposeAsync();

    [Theory]
    [MemberData(nameof(Requests))]
    public async Task No_reader_of_a_request_grows_older_than_the_limit_or_waits_for_the_network(
        string method,
        string path,
        string query,
        string body
    )
    {
        var before = _scene.Database.ReadersEnded;
        var readersDuringWrites = 0;
        var answer = new AnswerStream(
            keeps: false,
            _ =>
            {
                readersDuringWrites += _scene.Database.StorageStatistics().Readers;
                return Task.CompletedTask;
            }
        );

        var served = await _scene.SendAsync(method, path, query, BodyOf(body), answer);

        Assert.Equal(200, served.Status);
        Assert.False(served.WasAborted);
        Assert.Equal(0, readersDuringWrites);
        Assert.InRange(_scene.Database.LongestRead, TimeSpan.FromTicks(1), Limits.Default.MaxReaderAge);
        Assert.InRange(_scene.Database.ReadersEnded - before, 5, long.MaxValue);
        Assert.False(served.Headers.ContainsKey("ETag"), "an answer of several moments claims an ETag");
    }

    [Theory]
    [MemberData(nameof(Requests))]
    public async Task The_memory_of_a_request_whose_client_is_slow_is_bounded(string method, string path, string query, string body)
    {
        body = BodyOf(body);
        var idle = GC.GetTotalMemory(forceFullCollection: true);
        long most = 0;
        var answer = new AnswerStream(
            keeps: false,
            write =>
            {
                // The later pieces, when a request that gathers would have gathered.
                if (write is 1 or 4)
                    most = Math.Max(most, GC.GetTotalMemory(forceFullCollection: true) - idle);
                return Task.CompletedTask;
            }
        );

        await _scene.SendAsync(method, path, query, body, answer);

        Assert.InRange(most, long.MinValue, MostRequestBytes);
    }

    [Theory]
    [InlineData("GET", "/docs", "?startsWith=items/&matches=*nothing", "")]
    [InlineData("GET", "/streams/docs", "?matches=*nothing", "")]
    [InlineData("GET", "/docs", "?start=1000000", "")]
    [InlineData("POST", "/queries", "", "from Others where startsWith(id(), 'items/')")]
    [InlineData("POST", "/streams/queries", "", "from Others where startsWith(id(), 'items/')")]
    public async Task A_request_whose_client_has_gone_ends_in_the_middle_of_its_scan(string method, string path, string query, string body)
    {
        using var gone = new CancellationTokenSource();
        await gone.CancelAsync();
        var before = _scene.Database.ReadersEnded;

        var answer = new AnswerStream(keeps: false);
        await _scene.SendAsync(method, path, query, BodyOf(body), answer, gone: gone.Token);

        Assert.Equal(0, answer.Writes);
        Assert.Equal(1, _scene.Database.ReadersEnded - before);
    }

    [Fact]
    public async Task An_operation_by_query_that_finds_nothing_holds_no_reader_for_long()
    {
        var before = _scene.Database.ReadersEnded;
        var started = await _scene.SendAsync("DELETE", "/queries", body: """{"Query":"from Others where startsWith(id(), 'items/')"}""");
        var id = started.Json.GetProperty("OperationId").GetInt64();
        await Eventually.IsAsync(async () =>
            (await _scene.SendAsync("GET", "/operations/state", $"?id={id}")).Json.GetProperty("Status").GetString() == "Completed"
        );

        Assert.InRange(_scene.Database.ReadersEnded - before, 20, long.MaxValue);
        Assert.InRange(_scene.Database.LongestRead, TimeSpan.FromTicks(1), Limits.Default.MaxReaderAge);
    }

    [Theory]
    [InlineData(""" "Collections":["Items"],"Script":"loadToA(this);" """, 100)]
    [InlineData(""" "ApplyToAllDocuments":true,"Script":"loadToA(load('others/1'));" """, 100)]
    [InlineData(""" "Collections":["@dead-letters"],"Script":"loadToA(this);" """, 1)]
    public async Task A_trial_of_a_script_renews_its_reader_between_documents(string transform, int results)
    {
        _scene.Clock.Step = TimeSpan.FromMilliseconds(4);
        // Dead letters of dead letters: a transform over dead letters passes by them.
        const string letter = """{"Collection":"@dead-letters","@metadata":{"@collection":"@dead-letters"}}""";
        await _scene.PutAsync(Enumerable.Range(0, 2000).Select(i => ($"letters/{i}", letter)));
        await _scene.PutAsync([("letter", """{"@metadata":{"@collection":"@dead-letters"}}""")]);
        var before = _scene.Database.ReadersEnded;

        var served = await _scene.SendAsync("POST", "/etl/test", body: $$"""{{{transform}}}""");

        Assert.Equal((200, results), (served.Status, served.Json.GetProperty("Results").GetArrayLength()));
        Assert.InRange(_scene.Database.ReadersEnded - before, 3, long.MaxValue);
        Assert.InRange(_scene.Database.LongestRead, TimeSpan.FromTicks(1), Limits.Default.MaxReaderAge);
    }

    [Theory]
    [InlineData("?startsWith=items/")]
    [InlineData("")]
    public async Task Every_document_that_exists_all_the_while_is_in_a_list_although_writers_move_them_while_it_is_sent(string query)
    {
        var answer = new AnswerStream(
            keeps: true,
            // The oldest, the newest and the middle, none of them at its place any more when the walk comes there; and a new one.
            async write =>
                await _scene.PutAsync([
                    (Id(write), Body(write)),
                    (Id(Documents - write), Body(Documents - write)),
                    (Id(Documents / 2), Body(Documents / 2)),
                    ($"items/new{write:D8}", Body(0)),
                ])
        );

        var served = await _scene.SendAsync("GET", "/docs", query, answer: answer);

        var ids = served.Ids.ToList();
        Assert.InRange(answer.Writes, 5, int.MaxValue);
        Assert.Superset(Enumerable.Range(0, Documents).Select(Id).ToHashSet(), ids.ToHashSet());
        if (query.Length > 0)
            Assert.Equal(ids.Distinct().Order(StringComparer.Ordinal), ids);
    }

    [Fact]
    public async Task An_old_document_that_is_written_behind_many_new_ones_is_in_a_list_newest_first()
    {
        var answer = new AnswerStream(
            keeps: true,
            async write =>
            {
                if (write != 1)
                    return;
                await _scene.PutAsync(Enumerable.Range(0, Documents + 5000).Select(i => ($"items/new{i:D8}", Body(0))));
                await _scene.PutAsync([(Id(0), Body(0))]);
            }
        );

        var served = await _scene.SendAsync("GET", "/docs", "?metadataOnly=true", answer: answer);

        Assert.Superset(Enumerable.Range(0, Documents).Select(Id).ToHashSet(), served.Ids.ToHashSet());
    }

    [Fact]
    public async Task A_list_newest_first_ends_although_writers_are_faster_than_its_client()
    {
        var next = 0;
        var answer = new AnswerStream(
            keeps: true,
            async _ => await _scene.PutAsync(Enumerable.Range(0, 5000).Select(_ => (Id(next++ % Documents), Body(0))))
        );

        var served = await _scene.SendAsync("GET", "/docs", "?metadataOnly=true", answer: answer);

        Assert.InRange(served.Ids.Count(), Documents, 2 * (Documents + 4001));
    }

    [Fact]
    public async Task An_answer_of_one_moment_keeps_its_etag_and_is_confirmed()
    {
        _scene.Clock.Step = TimeSpan.Zero;
        foreach (var (path, query, body) in new[] { ("/docs", "?pageSize=5", ""), ("/docs", "?startsWith=items/&pageSize=5", "") })
        {
            var served = await _scene.SendAsync("GET", path, query, body);
            Assert.NotNull(served.ETag);
            var again = await _scene.SendAsync(
                "GET",
                path,
                query,
                body,
                headers: new Dictionary<string, string> { ["If-None-Match"] = served.ETag }
            );
            Assert.Equal(304, again.Status);
        }
    }

    [Fact]
    public async Task Ids_that_take_more_memory_than_they_may_are_refused_by_the_limit()
    {
        var ids = string.Join(',', Enumerable.Range(0, 65_000).Select(i => $"\"{i}\""));
        var asked = await _scene.SendAsync("POST", "/docs", body: $$"""{"Ids":[{{ids}}]}""");
        Assert.Equal(400, asked.Status);
        Assert.Contains("The request asks for 5", asked.Text, StringComparison.Ordinal);
        Assert.Contains("Limits.MaxIdMemoryBytes", asked.Text, StringComparison.Ordinal);

        var included = await _scene.SendAsync("POST", "/queries", body: BodyOf("from Items include self limit 6000"));
        Assert.Equal(400, included.Status);
        Assert.Contains("The results refer to 4", included.Text, StringComparison.Ordinal);
        Assert.Contains("Limits.MaxIdMemoryBytes", included.Text, StringComparison.Ordinal);

        var gathered = await _scene.SendAsync("POST", "/queries", body: BodyOf("from Items select distinct self"));
        Assert.Equal(400, gathered.Status);
        Assert.Contains("QueryLimits.MaxGatheredBytes", gathered.Text, StringComparison.Ordinal);

        var query = await _scene.SendAsync(
            "POST",
            "/queries",
            body: BodyOf($"from @all_docs // {new string('x', Limits.MaxQueryBodyBytes)}")
        );
        Assert.Equal(400, query.Status);
        Assert.Contains("Limits.MaxQueryBodyBytes", query.Text, StringComparison.Ordinal);
    }

    /// <summary>Long ids: whoever gathers them all takes more than a request may.</summary>
    private static string Id(int i) => string.Create(CultureInfo.InvariantCulture, $"items/{new string('x', 400)}{i:D8}");

    private static string Body(int i) => $$$"""{"next":"refs/{{{i % 4000}}}","self":"{{{Id(i)}}}","@metadata":{"@collection":"Items"}}""";

    private static string BodyOf(string query) =>
        query switch
        {
            "" => "",
            "ids" => $$"""{"Ids":[{{string.Join(',', Enumerable.Range(0, 4000).Select(i => $"\"{Id(i)}\""))}}]}""",
            _ => $$"""{"Query":"{{query}}"}""",
        };
}
