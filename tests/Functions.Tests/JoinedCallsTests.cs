using System.Globalization;
using System.Text.Json.Nodes;
using Jackdaw.Brokers;
using Jackdaw.Functions.Handlers.Storing;

namespace Jackdaw.Functions.Tests;

/// <summary>Many handlers at once share requests, and each gets the answer that it would have got alone.</summary>
public sealed class JoinedCallsTests
{
    [Fact]
    public async Task What_is_called_while_another_call_is_under_way_is_sent_together()
    {
        var gate = new TaskCompletionSource();
        var sent = new List<int[]>();
        var calls = Calls(
            async numbers =>
            {
                lock (sent)
                    sent.Add([.. numbers]);
                await gate.Task;
                return numbers.Select(n => n * 10).ToList();
            },
            mostCalls: 4
        );

        var answers = Enumerable.Range(1, 7).Select(n => calls.CallAsync(n, CancellationToken.None)).ToList();
        gate.SetResult();

        Assert.Equal((int[])[10, 20, 30, 40, 50, 60, 70], await Task.WhenAll(answers));
        Assert.Equal(
            [
                [1],
                [2, 3, 4, 5],
                [6, 7],
            ],
            sent
        );
    }

    [Fact]
    public async Task A_refused_call_does_not_concern_those_that_were_sent_with_it()
    {
        var gate = new TaskCompletionSource();
        var calls = Calls(async numbers =>
        {
            await gate.Task;
            return Enumerable.Contains(numbers, 3) ? throw new ChangedMeanwhileException("3") : numbers;
        });

        var answers = Enumerable.Range(1, 5).Select(n => calls.CallAsync(n, CancellationToken.None)).ToList();
        gate.SetResult();

        await Assert.ThrowsAsync<ChangedMeanwhileException>(() => answers[2]);
        answers.RemoveAt(2);
        Assert.Equal((int[])[1, 2, 4, 5], await Task.WhenAll(answers));
    }

    [Fact]
    public async Task A_server_that_does_not_answer_fails_each_call_with_an_exception_of_its_own_and_the_next_one_is_sent()
    {
        var gate = new TaskCompletionSource();
        var isDown = true;
        var calls = Calls(async numbers =>
        {
            await gate.Task;
            return isDown ? throw new InfrastructureException("It is away.") : numbers;
        });

        var answers = Enumerable.Range(1, 3).Select(n => calls.CallAsync(n, CancellationToken.None)).ToList();
        gate.SetResult();
        var faults = new List<Exception>();
        foreach (var answer in answers)
            faults.Add(await Assert.ThrowsAsync<InfrastructureException>(() => answer));

        Assert.Equal(3, faults.Distinct().Count());
        isDown = false;
        Assert.Equal(4, await calls.CallAsync(4, CancellationToken.None));
    }

    [Fact]
    public async Task A_caller_that_gives_up_ends_its_wait_alone()
    {
        var gate = new TaskCompletionSource();
        var sent = new List<int>();
        var calls = Calls(async numbers =>
        {
            lock (sent)
                sent.AddRange(numbers);
            await gate.Task;
            return numbers;
        });
        using var given = new CancellationTokenSource();

        var first = calls.CallAsync(1, CancellationToken.None);
        var second = calls.CallAsync(2, given.Token);
        var third = calls.CallAsync(3, CancellationToken.None);
        await given.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second);
        gate.SetResult();

        Assert.Equal((int[])[1, 3], await Task.WhenAll(first, third));
        Assert.Equal([1, 3], sent);
    }

    [Fact]
    public async Task Of_batches_at_once_those_are_stored_whose_documents_are_as_they_were_read()
    {
        await using var scene = await Scene.OpenAsync();
        using var http = new HttpClient { BaseAddress = new Uri(scene.Server.Url + "/") };
        var database = new JackdawDatabase(http, "views");
        const int Count = 200;
        string[] ids = [.. Enumerable.Range(0, Count).Select(n => string.Create(CultureInfo.InvariantCulture, $"joined/{n}"))];
        // Every third is there already, so a batch that demands that it is not is refused.
        await Task.WhenAll(ids.Where((_, n) => n % 3 == 0).Select(id => database.StoreAsync(Of(id, "before"), CancellationToken.None)));

        var outcomes = await Task.WhenAll(
            ids.Select(async id =>
            {
                try
                {
                    await database.StoreAsync(Of(id, "after"), CancellationToken.None);
                    return true;
                }
                catch (ChangedMeanwhileException)
                {
                    return false;
                }
            })
        );
        var read = await Task.WhenAll(ids.Select(id => database.GetAsync([id, "joined/none", id], CancellationToken.None)));

        Assert.Equal(Enumerable.Range(0, Count).Select(n => n % 3 != 0), outcomes);
        for (var n = 0; n < Count; n++)
        {
            Assert.Equal(n % 3 == 0 ? "before" : "after", (string?)read[n][0]!.Members["Text"]);
            Assert.Null(read[n][1]);
            // Each caller may change what it has read.
            Assert.NotSame(read[n][0]!.Members, read[n][2]!.Members);
        }
    }

    [Fact]
    public async Task An_id_that_the_server_refuses_holds_up_nobody_else()
    {
        await using var scene = await Scene.OpenAsync();
        using var http = new HttpClient { BaseAddress = new Uri(scene.Server.Url + "/") };
        var database = new JackdawDatabase(http, "views");
        var tooLong = new string('x', 2000);

        var stored = Enumerable
            .Range(0, 50)
            .Select(n => (Id: n % 10 == 5 ? tooLong : string.Create(CultureInfo.InvariantCulture, $"held/{n}"), IsFine: n % 10 != 5))
            .Select(one => (one.IsFine, Storing: database.StoreAsync(Of(one.Id, "x"), CancellationToken.None)))
            .ToList();

        foreach (var (isFine, storing) in stored)
            if (isFine)
                await storing;
            else
                await Assert.ThrowsAnyAsync<Exception>(() => storing);
    }

    private static Batch Of(string id, string text) => new Batch().PutIfUnchanged(id, "Joined", new JsonObject { ["Text"] = text }, null);

    private static JoinedCalls<int, int> Calls(Func<IReadOnlyList<int>, Task<IReadOnlyList<int>>> send, int mostCalls = 64) =>
        new(
            mostCalls,
            long.MaxValue,
            _ => 0,
            (numbers, _) => send(numbers),
            e => e is ChangedMeanwhileException or InfrastructureException { IsOfRequest: true }
        );
}
