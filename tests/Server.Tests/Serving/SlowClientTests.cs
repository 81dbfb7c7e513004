using Jackdaw.Storage;

namespace Jackdaw.Server.Tests.Serving;

/// <summary>Answers that nobody reads, beside writers that write more than scratch holds.</summary>
[Collection(MemoryMeasured.Name)]
[Trait("Category", "Slow")]
public sealed class SlowClientTests
{
    private const int Documents = 10_000;
    private const int WriteBytes = 64 << 10;

    /// <summary>Small, so that a reader that holds up flushing is felt soon.</summary>
    private static readonly EnvironmentOptions s_storage = new()
    {
        MaxScratchBytes = 64 << 20,
        MaxTransactionBytes = 16 << 20,
        FlushThresholdBytes = 8 << 20,
        FlushInterval = TimeSpan.FromMilliseconds(100),
    };

    public static TheoryData<string, string, string, string> Requests =>
        new()
        {
            { "GET", "/docs", "", "" },
            { "GET", "/docs", "?startsWith=items/&exclude=*7", "" },
            { "GET", "/streams/docs", "", "" },
            { "POST", "/queries", "", """{"Query":"from @all_docs order by id() desc"}""" },
            { "POST", "/streams/queries", "", """{"Query":"from @all_docs"}""" },
            { "POST", "/multi_get", "", """{"Requests":[{"Url":"/databases/db/docs","Query":"?startsWith=items/"}]}""" },
        };

    [Theory]
    [MemberData(nameof(Requests))]
    public async Task Scratch_is_freed_although_a_client_stops_reading_in_the_middle(string method, string path, string query, string body)
    {
        await using var scene = await ServerScene.OpenAsync(storage: s_storage);
        await scene.PutAsync(Enumerable.Range(0, Documents).Select(i => ($"items/{i}", $$"""{"Text":"{{new string('x', 300)}}"}""")));
        var stopped = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var readsOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var answer = new AnswerStream(
            keeps: false,
            write =>
            {
                if (write != 2)
                    return Task.CompletedTask;
                stopped.SetResult();
                return readsOn.Task;
            }
        );
        var serving = scene.SendAsync(method, path, query, body, answer);
        await stopped.Task.WaitAsync(Eventually.Patience);

        // Twice what scratch holds, a sixteenth of it at a time: held up, flushing would never catch up again.
        var half = s_storage.MaxScratchBytes / 2;
        for (var part = 0; part < 32; part++)
        {
            var text = new string((char)('a' + (part % 26)), WriteBytes);
            for (var i = 0; i < (4 << 20) / WriteBytes; i++)
                await scene.PutAsync([($"written/{i}", $$"""{"Text":"{{text}}"}""")]);
            await Eventually.IsAsync(() => scene.Database.StorageStatistics().ScratchUsedBytes < half);
        }

        Assert.False(serving.IsCompleted);
        readsOn.SetResult();
        var served = await serving;
        Assert.Equal(200, served.Status);
        Assert.False(served.WasAborted);
    }

    [Fact]
    public async Task Clients_that_stop_reading_keep_no_turn_to_scan_from_others()
    {
        await using var scene = await ServerScene.OpenAsync();
        await scene.PutAsync(Enumerable.Range(0, Documents).Select(i => ($"items/{i}", $$"""{"Text":"{{new string('x', 300)}}"}""")));
        scene.Clock.Step = TimeSpan.FromMilliseconds(10);
        var readsOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var slow = Enumerable
            .Range(0, 2 * Environment.ProcessorCount)
            .Select(_ => scene.SendAsync("GET", "/streams/docs", answer: new AnswerStream(keeps: false, _ => readsOn.Task)))
            .ToList();

        var other = await scene.SendAsync("GET", "/docs", "?startsWith=items/&matches=*nothing").WaitAsync(Eventually.Patience);

        Assert.Equal(200, other.Status);
        readsOn.SetResult();
        await Task.WhenAll(slow);
        Assert.Equal(Math.Max(1, Environment.ProcessorCount / 2), scene.State.ScanTurns.CurrentCount);
    }
}
