using System.Text.Json;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Running;
using Jackdaw.Etl.Sinks;
using Xunit;

namespace Jackdaw.Etl.Tests;

public class RetryTests
{
    private const string Plain = "loadToA({ n: this.n });";

    /// <summary>Rejects the messages that it is told to.</summary>
    private sealed class Refusal(Scene scene)
    {
        public Func<Received, bool> Rejects { get; set; } = _ => true;

        public bool IsDown { get; set; }

        public RecordingSink Sink() =>
            new(
                scene.Ledger,
                (own, delivery) =>
                {
                    if (IsDown)
                        throw new SinkException(SinkFault.Sink, "Down.");
                    for (int i = 0; i < delivery.Messages.Count; i++)
                    {
                        if (delivery.IsSettled(i))
                            continue;
                        int attempt = delivery.Try(i);
                        var received = new Received(delivery.Messages[i], attempt);
                        if (Rejects(received))
                        {
                            delivery.Reject(i, "Too sour.");
                            continue;
                        }
                        scene.Ledger.Add(received);
                        delivery.Confirm(i);
                    }
                }
            );
    }

    private static EtlTaskConfiguration Task(string script = Plain, bool publishDeletes = false) =>
        Scene.Configuration(Scene.Transform(script) with { PublishDeletes = publishDeletes }) with
        {
            MaxFailedShare = 1,
        };

    /// <summary>A scene whose document <c>orders/1</c> has become a dead letter.</summary>
    private static async Task<(Scene Scene, Refusal Refusal)> BuriedAsync(EtlTaskConfiguration? task = null)
    {
        var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", """{"n":1}""");
        var refusal = new Refusal(scene);
        await scene.StartAsync(task ?? Task(), refusal.Sink());
        scene.RunToRest();
        Assert.NotEmpty(scene.DeadLetters());
        refusal.Rejects = _ => false;
        return (scene, refusal);
    }

    internal static RetryOutcome Retry(Scene scene, DeadLetterFilter? filter = null, bool asStored = false)
    {
        var request = new RetryRequest(filter ?? new DeadLetterFilter { TaskId = 7 }, asStored, scene.Database.LastDurableEtag);
        scene.Task.Retry(request);
        scene.RunToRest();
        return request.Outcome(7, "Orders out");
    }

    private static JsonElement Letter(Scene scene) => JsonDocument.Parse(Assert.Single(scene.DeadLetters())).RootElement;

    [Fact]
    public async Task A_retried_dead_letter_is_sent_under_its_own_id_and_removed_when_the_sink_has_it()
    {
        var (scene, _) = await BuriedAsync();
        await using var opened = scene;
        string changeVector = Letter(scene).GetProperty("ChangeVector").GetString()!;
        scene.AtFailpoint = name =>
        {
            if (name == Failpoint.RetrySent)
                Assert.Equal((1, 1), (scene.DeadLetters().Length, scene.Ledger.Count));
        };
        Assert.Equal(
            (1, 0, 0, true),
            Retry(scene) is var outcome ? (outcome.Settled, outcome.Superseded, outcome.Failed, outcome.IsDone) : default
        );
        Assert.Equal((changeVector, "A: {\"n\":1}"), (Assert.Single(scene.Ledger).Id, scene.Ledger[0].ToString()));
        Assert.Empty(scene.DeadLetters());
        Assert.Contains(Failpoint.RetrySent, scene.Failpoints);
        Assert.Equal(1, scene.Task.Status().Messages);
    }

    [Fact]
    public async Task A_document_that_changed_supersedes_its_dead_letter_and_is_not_sent_twice()
    {
        var (scene, _) = await BuriedAsync();
        await using var opened = scene;
        string newer = await scene.PutAsync("orders/1", """{"n":2}""");
        Assert.Equal((0, 1), Retry(scene) is var outcome ? (outcome.Settled, outcome.Superseded) : default);
        Assert.Equal("A: {\"n\":2}", Assert.Single(scene.Ledger).ToString());
        Assert.Equal(
            ("Superseded", newer),
            (Letter(scene).GetProperty("State").GetString(), Letter(scene).GetProperty("SupersededBy").GetString())
        );
        // It is not looked at again, unless the old state itself is asked for.
        Assert.Equal((0, 0, 0), Retry(scene) is var again ? (again.Settled, again.Superseded, again.Failed) : default);
        Assert.Equal(1, Retry(scene, asStored: true).Settled);
        Assert.Equal(["A: {\"n\":2}", "A: {\"n\":1}"], scene.Ledger.Select(received => received.ToString()));
        Assert.All(scene.Ledger, received => Assert.Equal(scene.Database.IdText, received.Message.Event.DatabaseId));
        Assert.Empty(scene.DeadLetters());
    }

    [Fact]
    public async Task A_document_that_is_gone_supersedes_its_dead_letter()
    {
        var (scene, _) = await BuriedAsync();
        await using var opened = scene;
        await scene.DeleteAsync("orders/1");
        Assert.Equal((0, 1), Retry(scene) is var outcome ? (outcome.Settled, outcome.Superseded) : default);
        Assert.Empty(scene.Ledger);
    }

    [Fact]
    public async Task A_deletion_is_retried_while_the_document_is_gone_and_superseded_when_it_is_back()
    {
        const string Script = "loadToA({ n: this.n }); function deleted(id) { loadToA({ gone: id }); }";
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", """{"n":1}""");
        await scene.PutAsync("orders/2", """{"n":2}""");
        var refusal = new Refusal(scene) { Rejects = received => received.Text.Contains("gone", StringComparison.Ordinal) };
        await scene.StartAsync(Task(Script, publishDeletes: true), refusal.Sink());
        scene.RunToRest();
        await scene.DeleteAsync("orders/1");
        await scene.DeleteAsync("orders/2");
        scene.RunToRest();
        Assert.Equal(2, scene.DeadLetters().Length);
        scene.Ledger.Clear();
        await scene.PutAsync("orders/2", """{"n":22}""");
        refusal.Rejects = _ => false;
        Assert.Equal((1, 1), Retry(scene) is var outcome ? (outcome.Settled, outcome.Superseded) : default);
        Assert.Equal(["A: {\"gone\":\"orders/1\"}", "A: {\"n\":22}"], scene.Ledger.Select(received => received.ToString()).Order());
        Assert.Equal(
            "ravendb.etl.delete",
            scene.Ledger.Single(received => received.Text.Contains("gone", StringComparison.Ordinal)).Message.Event.Type
        );
    }

    [Fact]
    public async Task A_document_whose_script_failed_is_sent_whole_once_the_script_is_right()
    {
        await using var scene = await Scene.OpenAsync();
        string changeVector = await scene.PutAsync("orders/1", """{"n":1}""");
        await scene.StartAsync(Task("loadToA(this); throw 'no';"));
        scene.RunToRest();
        // The same script fails again: the dead letter stays, and tells it.
        Assert.Equal((0, 1), Retry(scene) is var failed ? (failed.Settled, failed.Failed) : default);
        Assert.Equal(2, Letter(scene).GetProperty("Attempts").GetInt32());
        await scene.StartAsync(Task("loadToA(this); loadToB(this);"));
        Assert.Equal((1, 0), Retry(scene) is var outcome ? (outcome.Settled, outcome.Failed) : default);
        Assert.Equal([changeVector, $"{changeVector}#All/2"], scene.Ledger.Select(received => received.Id));
        Assert.Empty(scene.DeadLetters());
    }

    [Fact]
    public async Task Only_the_message_that_failed_is_sent_again_and_one_that_the_script_no_longer_makes_stays()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", """{"n":1}""");
        var refusal = new Refusal(scene) { Rejects = received => received.Message.Number == 2 };
        await scene.StartAsync(Task("loadToA({ n: 1 }); loadToA({ n: 2 }); loadToA({ n: 3 });"), refusal.Sink());
        scene.RunToRest();
        await scene.StartAsync(Task("loadToA({ n: 1 });"), refusal.Sink());
        refusal.Rejects = _ => false;
        Assert.Equal((0, 1), Retry(scene) is var gone ? (gone.Settled, gone.Failed) : default);
        await scene.StartAsync(Task("loadToA({ n: 1 }); loadToB({ n: 22 });"), refusal.Sink());
        Assert.Equal((1, 0), Retry(scene) is var outcome ? (outcome.Settled, outcome.Failed) : default);
        Assert.Equal(["A: {\"n\":1}", "A: {\"n\":3}", "B: {\"n\":22}"], scene.Ledger.Select(received => received.ToString()));
    }

    [Fact]
    public async Task A_message_that_is_refused_again_stays_a_dead_letter_with_all_its_attempts()
    {
        var (scene, refusal) = await BuriedAsync();
        await using var opened = scene;
        refusal.Rejects = _ => true;
        Assert.Equal(
            (0, 0, 1, true),
            Retry(scene) is var outcome ? (outcome.Settled, outcome.Superseded, outcome.Failed, outcome.IsDone) : default
        );
        Assert.Equal(("Dead", 2), (Letter(scene).GetProperty("State").GetString(), Letter(scene).GetProperty("Attempts").GetInt32()));
    }

    [Fact]
    public async Task A_position_that_is_set_back_takes_the_dead_letters_above_it_back_into_the_ordinary_way()
    {
        var (scene, refusal) = await BuriedAsync();
        await using var opened = scene;
        await scene.PutAsync("orders/2", """{"n":2}""");
        refusal.Rejects = received => received.Text.Contains('2', StringComparison.Ordinal);
        scene.SetPosition(null, 0);
        var outcome = Retry(scene);
        Assert.Equal((0, 0, true), (outcome.Settled, outcome.Superseded, outcome.IsDone));
        Assert.Equal("A: {\"n\":1}", Assert.Single(scene.Ledger).ToString());
        Assert.Equal("orders/2", Letter(scene).GetProperty("DocumentId").GetString());
    }

    [Fact]
    public async Task A_task_that_is_not_at_work_says_so_instead_of_retrying()
    {
        var (scene, _) = await BuriedAsync();
        await using var opened = scene;
        scene.Task.Pause();
        scene.RunToRest();
        var outcome = Retry(scene);
        Assert.Equal((false, "The task is Paused."), (outcome.IsDone, outcome.Reason));
        Assert.Single(scene.DeadLetters());
        Assert.Empty(scene.Ledger);
    }

    [Fact]
    public async Task Retries_take_turns_with_changes_and_leave_the_others_of_a_filter_alone()
    {
        await using var scene = await Scene.OpenAsync();
        scene.Limits = scene.Limits with { MaxBatchDocuments = 2 };
        for (int i = 1; i <= 7; i++)
            await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
        var refusal = new Refusal(scene);
        await scene.StartAsync(Task(), refusal.Sink());
        scene.RunToRest();
        refusal.Rejects = _ => false;
        for (int i = 11; i <= 14; i++)
            await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
        string one = "@dead-letters/" + new string('0', 32);
        Assert.Equal(
            (0, true),
            Retry(scene, new DeadLetterFilter { TaskId = 7, Id = one }) is var none ? (none.Settled, none.IsDone) : default
        );
        scene.Ledger.Clear();
        for (int i = 21; i <= 24; i++)
            await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
        Assert.Equal(7, Retry(scene).Settled);
        Assert.Equal([1, 2, 21, 22, 3, 4, 23, 24, 5, 6, 7], scene.Ledger.Select(received => int.Parse(received.Text[5..^1])));
    }

    [Fact]
    public async Task A_task_that_is_closed_in_the_middle_of_a_retry_keeps_what_was_not_sent_and_sends_nothing_twice()
    {
        await using var scene = await Scene.OpenAsync();
        for (int i = 1; i <= 4; i++)
            await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
        var refusal = new Refusal(scene);
        await scene.StartAsync(Task(), refusal.Sink());
        scene.RunToRest();
        // Two are sent, and then the server is told to stop.
        await scene.StartAsync(
            Task(),
            new RecordingSink(
                scene.Ledger,
                (own, delivery) =>
                {
                    for (int i = 0; i < 2; i++)
                    {
                        own.Receive(delivery, i);
                        delivery.Confirm(i);
                    }
                    scene.Task.BeginClose();
                }
            )
        );
        var request = new RetryRequest(new DeadLetterFilter { TaskId = 7 }, asStored: false, scene.Database.LastDurableEtag);
        scene.Task.Retry(request);
        scene.RunToRest();
        Assert.Equal((EtlTaskState.Closed, false, 2L), (scene.Task.State, request.Outcome(7, "").IsDone, request.Outcome(7, "").Settled));
        Assert.Equal(2, scene.DeadLetters().Length);
        refusal.Rejects = _ => false;
        await scene.StartAsync(Task(), refusal.Sink());
        Assert.Equal(2, Retry(scene).Settled);
        Assert.Equal([1, 2, 3, 4], scene.Ledger.Select(received => int.Parse(received.Text[5..^1])));
    }

    /// <summary>A retry whose sink is down: what was made of the dead letters waits in memory.</summary>
    private static RetryRequest RetryInVain(Scene scene, Refusal refusal)
    {
        refusal.IsDown = true;
        var request = new RetryRequest(new DeadLetterFilter { TaskId = 7 }, asStored: false, scene.Database.LastDurableEtag);
        scene.Task.Retry(request);
        scene.Task.RunStep();
        Assert.Equal(EtlTaskState.Waiting, scene.Task.State);
        refusal.IsDown = false;
        return request;
    }

    [Fact]
    public async Task A_retry_goes_on_when_a_position_is_set_in_the_middle_of_it()
    {
        var (scene, refusal) = await BuriedAsync();
        await using var opened = scene;
        var request = RetryInVain(scene, refusal);
        scene.SetPosition(null, scene.Database.LastDurableEtag);
        scene.RunToRest();
        Assert.Equal((1, true), request.Outcome(7, "") is var outcome ? (outcome.Settled, outcome.IsDone) : default);
        Assert.Single(scene.Ledger);
        Assert.Empty(scene.DeadLetters());
    }

    [Fact]
    public async Task A_dead_letter_that_is_purged_while_its_retry_waits_is_not_sent()
    {
        await using var scene = await Scene.OpenAsync();
        for (int i = 1; i <= 3; i++)
            await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
        var refusal = new Refusal(scene);
        await scene.StartAsync(Task(), refusal.Sink());
        scene.RunToRest();
        refusal.Rejects = _ => false;
        var request = RetryInVain(scene, refusal);
        await scene.DeleteAsync(LetterId(scene, "orders/2"));
        scene.RunToRest();
        Assert.Equal((2, true), request.Outcome(7, "") is var outcome ? (outcome.Settled, outcome.IsDone) : default);
        Assert.Equal(["A: {\"n\":1}", "A: {\"n\":3}"], scene.Ledger.Select(received => received.ToString()));
        Assert.Empty(scene.DeadLetters());
    }

    [Fact]
    public async Task What_was_read_ahead_of_a_retry_is_sent_although_its_dead_letter_was_purged()
    {
        await using var scene = await Scene.OpenAsync();
        scene.Limits = scene.Limits with { MaxBatchDocuments = 1 };
        await scene.PutAsync("orders/1", """{"n":1}""");
        var refusal = new Refusal(scene);
        var sink = refusal.Sink();
        await scene.StartAsync(Task(), sink);
        scene.RunToRest();
        refusal.Rejects = _ => false;
        for (int i = 2; i <= 5; i++)
            await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");

        // The second is on its way until the third is ready behind it; then a person wants the first again, and the sink goes down.
        var isOnItsWay = new TaskCompletionSource();
        sink.Afterwards = () => isOnItsWay.Task;
        scene.AtFailpoint = name =>
        {
            if (name != Failpoint.OnItsWay || isOnItsWay.Task.IsCompleted)
                return;
            scene.Task.Retry(new RetryRequest(new DeadLetterFilter { TaskId = 7 }, asStored: false, scene.Database.LastDurableEtag));
            refusal.IsDown = true;
            isOnItsWay.SetResult();
        };
        for (int i = 0; i < 100 && scene.Task.State != EtlTaskState.Waiting; i++)
            scene.Task.RunStep();
        Assert.Equal(EtlTaskState.Waiting, scene.Task.State);
        await scene.DeleteAsync(LetterId(scene, "orders/1"));
        refusal.IsDown = false;
        scene.RunToRest();
        Assert.Equal(
            ["A: {\"n\":2}", "A: {\"n\":3}", "A: {\"n\":4}", "A: {\"n\":5}"],
            scene.Ledger.Select(received => received.ToString())
        );
    }

    [Fact]
    public async Task A_retry_that_was_given_up_by_a_pause_sends_nothing_when_the_task_goes_on()
    {
        var (scene, refusal) = await BuriedAsync();
        await using var opened = scene;
        var request = RetryInVain(scene, refusal);
        scene.Task.Pause();
        scene.RunToRest();
        Assert.Equal((false, "The task is Paused."), request.Outcome(7, "") is var outcome ? (outcome.IsDone, outcome.Reason) : default);
        scene.Task.Resume();
        scene.RunToRest();
        Assert.Empty(scene.Ledger);
        Assert.Single(scene.DeadLetters());
        Assert.Equal(1, Retry(scene).Settled);
    }

    private static string LetterId(Scene scene, string documentId)
    {
        using var reader = scene.Database.OpenRead("test");
        var cursor = reader.ByEtag(DeadLetter.Collection, 0);
        while (cursor.MoveNext())
        {
            if (StoredDeadLetter.Read(cursor.Current) is { } letter && letter.Origin.DocumentId == documentId)
                return letter.Id;
        }
        throw new InvalidOperationException($"There is no dead letter of {documentId}.");
    }
}
