using System.Text.Json;
using Jackdaw.Documents;

namespace Jackdaw.Server.Tests.Serving;

/// <summary>Documents of many megabytes, and answers inside answers.</summary>
[Collection(MemoryMeasured.Name)]
[Trait("Category", "Slow")]
public sealed class LargeAnswerTests : IAsyncLifetime
{
    private const int LargeDocuments = 5;
    private const int LargeBytes = 16 << 20;

    /// <summary>What an answer may keep alive while its client is slow.</summary>
    private const long MostRequestBytes = 16 << 20;

    private ServerScene _scene = null!;

    public static TheoryData<string, string, string, string> Requests =>
        new()
        {
            { "GET", "/docs", "?startsWith=large/", "" },
            { "GET", "/docs", "?id=large/1", "" },
            { "GET", "/docs", "?id=large/1&id=large/2&id=large/3", "" },
            { "GET", "/docs", "?id=small/1&include=next", "" },
            { "GET", "/streams/docs", "?startsWith=large/", "" },
            { "POST", "/queries", "", """{"Query":"from @all_docs where startsWith(id(), 'large/') select Text, Text as again"}""" },
            {
                "POST",
                "/multi_get",
                "",
                """{"Requests":[{"Url":"/databases/db/docs","Query":"?startsWith=large/&pageSize=2"},{"Url":"/databases/db/docs","Query":"?id=large/3"}]}"""
            },
        };

    public async Task InitializeAsync()
    {
        _scene = await ServerScene.OpenAsync();
        for (var i = 0; i < LargeDocuments; i++)
            await _scene.PutAsync([($"large/{i}", $$"""{"Text":"{{new string((char)('a' + i), LargeBytes)}}"}""")]);
        await _scene.PutAsync([("small/1", """{"next":"large/4"}""")]);
    }

    public async Task DisposeAsync() => await _scene.DisposeAsync();

    [Theory]
    [MemberData(nameof(Requests))]
    public async Task Large_documents_are_sent_whole_and_never_held_whole(string method, string path, string query, string body)
    {
        var idle = GC.GetTotalMemory(forceFullCollection: true);
        long most = 0;
        long bytes = 0;
        var readers = 0;
        var letters = new long[LargeDocuments];
        var answer = new AnswerStream(
            keeps: false,
            write =>
            {
                readers += _scene.Database.StorageStatistics().Readers;
                if (write is 1 or 20)
                    most = Math.Max(most, GC.GetTotalMemory(forceFullCollection: true) - idle);
                return Task.CompletedTask;
            }
        )
        {
            Written = piece =>
            {
                bytes += piece.Length;
                for (var i = 0; i < LargeDocuments; i++)
                    letters[i] += piece.Count((byte)('a' + i));
            },
        };

        var served = await _scene.SendAsync(method, path, query, body, answer);

        Assert.Equal(200, served.Status);
        Assert.False(served.WasAborted);
        Assert.Equal(0, readers);
        Assert.InRange(most, long.MinValue, MostRequestBytes);
        Assert.InRange(answer.LargestWrite, 1, 4 << 20);
        Assert.InRange(bytes, LargeBytes, long.MaxValue);
        // Each document that is there at all is there to its last letter.
        foreach (var count in letters.Where(count => count > LargeBytes / 2))
            Assert.InRange(count % LargeBytes, 0, 10_000);
        if (served.Headers.TryGetValue("Content-Length", out var length))
            Assert.Equal(length, bytes.ToString(System.Globalization.CultureInfo.InvariantCulture));
    }

    [Fact]
    public async Task A_client_that_goes_in_the_middle_of_a_large_document_leaves_nothing_staged()
    {
        using var gone = new CancellationTokenSource();
        var answer = new AnswerStream(keeps: false, write => write < 10 ? Task.CompletedTask : gone.CancelAsync());

        await _scene.SendAsync("GET", "/docs", "?startsWith=large/", answer: answer, gone: gone.Token);

        Assert.Equal(10, answer.Writes);
        Assert.Equal(0, _scene.Database.StorageStatistics().Readers);
        Assert.Equal(0, _scene.State.AnswerStagingBytes);
    }

    [Fact]
    public async Task An_answer_that_finds_no_room_to_be_staged_says_which_setting_gives_it()
    {
        await using var scene = await ServerScene.OpenAsync(settings: "--Limits.MaxStagedAnswersSizeInMb=8");
        await scene.PutAsync([("large/1", $$"""{"Text":"{{new string('x', LargeBytes)}}"}""")]);

        var served = await scene.SendAsync("GET", "/docs", "?id=large/1");

        Assert.Equal(503, served.Status);
        Assert.Contains("Limits.MaxStagedAnswersSizeInMb", served.Text, StringComparison.Ordinal);
        Assert.Equal(0, scene.State.AnswerStagingBytes);
    }

    [Fact]
    public async Task One_answer_of_a_multi_get_that_is_too_large_is_an_error_and_the_others_are_answered()
    {
        await using var scene = await ServerScene.OpenAsync(Limits.Default with { MaxDocumentBytes = 1 << 20 });
        await scene.PutAsync(Enumerable.Range(0, 4).Select(i => ($"items/{i}", $$"""{"Text":"{{new string('x', 1_000_000)}}"}""")));

        var served = await scene.SendAsync(
            "POST",
            "/multi_get",
            body: """
            {"Requests":[
                {"Url":"/databases/db/docs","Query":"?startsWith=items/"},
                {"Url":"/databases/db/docs","Query":"?id=items/1"},
                {"Url":"/databases/db/docs","Query":"?id=none"},
                {"Url":"/databases/db/docs","Query":"?startsWith=items/&pageSize=2"}]}
            """
        );

        var results = served.Json.GetProperty("Results").EnumerateArray().ToList();
        Assert.Equal([413, 200, 404, 200], results.Select(r => r.GetProperty("StatusCode").GetInt32()));
        Assert.Contains("Limits.MaxInnerAnswerBytes", results[0].GetProperty("Result").GetProperty("Message").GetString()!);
        Assert.Equal(1, results[1].GetProperty("Result").GetProperty("Results").GetArrayLength());
        Assert.Equal(JsonValueKind.Null, results[2].GetProperty("Result").GetProperty("Results")[0].ValueKind);
        Assert.Equal(2, results[3].GetProperty("Result").GetProperty("Results").GetArrayLength());
    }

    [Fact]
    public async Task Many_identities_are_listed_over_several_readers()
    {
        const int Identities = 3000;
        for (var i = 0; i < Identities; i++)
            await _scene.Database.SubmitAsync(new Jackdaw.Documents.Commands.SeedIdentityOperation($"i{i:D5}|", i + 1, force: true));
        var before = _scene.Database.ReadersEnded;

        var served = await _scene.SendAsync("GET", "/debug/identities");

        var listed = served.Json.EnumerateObject().ToList();
        Assert.Equal(Enumerable.Range(0, Identities).Select(i => $"i{i:D5}|"), listed.Select(p => p.Name));
        Assert.Equal(Enumerable.Range(1, Identities), listed.Select(p => p.Value.GetInt32()));
        Assert.Equal(3, _scene.Database.ReadersEnded - before);
    }
}
