using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Running;
using Jackdaw.Etl.Values;
using Xunit;

namespace Jackdaw.Etl.Tests;

public class ProcessedDocumentsTests
{
    private const string Script = "if (this.n >= 100) return; loadToOut({ n: this.n }); function deleted(id) { loadToGone({ id }); }";

    private static EtlTaskConfiguration Task(string script = Script) =>
        Scene.Configuration(Scene.Transform(script) with { PublishDeletes = true }) with
        {
            MaxFailedShare = 1,
            DeletingQueues = ["OUT"],
        };

    private static async Task<Scene> WithDocuments(int count)
    {
        var scene = await Scene.OpenAsync();
        for (int i = 1; i <= count; i++)
            await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
        return scene;
    }

    private static string[] Orders(Scene scene)
    {
        var ids = new List<string>();
        using var reader = scene.Database.OpenRead("test");
        var orders = reader.ByEtag("Orders", 0);
        while (orders.MoveNext())
            ids.Add(System.Text.Encoding.UTF8.GetString(orders.Current.Id));
        return [.. ids.Order()];
    }

    private static string[] Received(Scene scene) => scene.Ledger.Select(received => received.ToString()).ToArray();

    [Fact]
    public async Task What_was_sent_is_deleted_and_that_is_never_published_but_a_persons_deletion_is()
    {
        await using var scene = await WithDocuments(3);
        await scene.PutAsync("orders/9", """{"n":900}""");
        await scene.StartAsync(Task());
        scene.RunToRest();
        Assert.Equal(["orders/9"], Orders(scene));
        await scene.DeleteAsync("orders/9");
        scene.RunToRest();
        Assert.Equal(["Out: {\"n\":1}", "Out: {\"n\":2}", "Out: {\"n\":3}", "Gone: {\"id\":\"orders/9\"}"], Received(scene));
        // Not even when everything is sent again.
        scene.Ledger.Clear();
        scene.SetPosition(null, 0);
        scene.RunToRest();
        Assert.Equal(["Gone: {\"id\":\"orders/9\"}"], Received(scene));
    }

    [Fact]
    public async Task A_document_that_changed_while_it_was_sent_stays_until_that_is_sent_too()
    {
        await using var scene = await WithDocuments(2);
        scene.AtFailpoint = name =>
        {
            if (name != Failpoint.DeletingProcessed || scene.Ledger.Count > 2)
                return;
            scene.PutAsync("orders/1", """{"n":11}""").GetAwaiter().GetResult();
        };
        await scene.StartAsync(Task());
        Assert.Equal(TimeSpan.Zero, scene.Task.RunStep());
        Assert.Equal(["orders/1"], Orders(scene));
        scene.RunToRest();
        Assert.Equal(["Out: {\"n\":1}", "Out: {\"n\":2}", "Out: {\"n\":11}"], Received(scene));
        Assert.Empty(Orders(scene));
    }

    [Theory]
    [InlineData(Failpoint.DeletingProcessed, 4)]
    [InlineData(Failpoint.ProcessedDeleted, 2)]
    [InlineData(Failpoint.PositionStored, 2)]
    public async Task A_crash_around_the_deletion_loses_nothing_and_publishes_nothing(string failpoint, int received)
    {
        await using var scene = await WithDocuments(2);
        bool isDone = false;
        scene.AtFailpoint = name =>
        {
            if (isDone || name != failpoint || scene.Ledger.Count == 0)
                return;
            isDone = true;
            throw new SimulatedCrashException(name);
        };
        await scene.StartAsync(Task());
        Assert.Throws<SimulatedCrashException>(() => scene.RunToRest());
        await scene.StartAsync(Task());
        scene.RunToRest();
        Assert.Empty(Orders(scene));
        Assert.Equal((received, 2), (scene.Ledger.Count, scene.Ledger.Select(message => message.Id).Distinct().Count()));
        Assert.All(scene.Ledger, message => Assert.Equal("Out", message.Message.Target));
        Assert.Equal(scene.Database.LastDurableEtag, scene.StoredPosition());
    }

    [Theory]
    [InlineData("committed")]
    [InlineData(Failpoint.Sent)]
    [InlineData(Failpoint.DeletingProcessed)]
    [InlineData(Failpoint.ProcessedDeleted)]
    public async Task A_crash_behind_a_transaction_that_has_the_position_too_sends_nothing_twice_and_leaves_nothing(string place)
    {
        await using var scene = await WithDocuments(5);
        await scene.PutAsync("orders/9", """{"n":900}""");
        var broker = new KeptBroker { Ledger = scene.Ledger };
        scene.Limits = scene.Limits with { MaxBatchDocuments = 2 };
        bool isDone = false;
        void Crash(string name)
        {
            if (isDone || name != place || scene.Ledger.Count < 4)
                return;
            isDone = true;
            throw new SimulatedCrashException(name);
        }
        scene.AtFailpoint = Crash;
        KeepingSink Sink() => new(broker) { At = Crash };
        await scene.StartAsync(Task(), Sink());
        Assert.Throws<SimulatedCrashException>(() => scene.RunToRest());
        await scene.StartAsync(Task(), Sink());
        scene.RunToRest();
        Assert.Equal(["orders/9"], Orders(scene));
        Assert.Equal(Enumerable.Range(1, 5).Select(n => $"Out: {{\"n\":{n}}}"), Received(scene));
    }

    [Theory]
    [InlineData("committed", true)]
    [InlineData(Failpoint.Sent, true)]
    [InlineData(Failpoint.DeletingProcessed, true)]
    [InlineData("committing", false)]
    [InlineData("committed", false)]
    public async Task A_position_that_is_set_right_after_a_crash_leaves_nothing_that_was_sent_and_deletes_nothing_else(
        string place,
        bool isSkipping
    )
    {
        await using var scene = await WithDocuments(5);
        var broker = new KeptBroker { Ledger = scene.Ledger };
        scene.Limits = scene.Limits with { MaxBatchDocuments = 2 };
        // The second batch of three: all of it is visible, or nothing.
        int arrived = place == "committing" ? 2 : 4;
        bool isDone = false;
        void Crash(string name)
        {
            if (isDone || name != place || scene.Ledger.Count < arrived)
                return;
            isDone = true;
            throw new SimulatedCrashException(name);
        }
        scene.AtFailpoint = Crash;
        KeepingSink Sink() => new(broker) { At = Crash };
        await scene.StartAsync(Task(), Sink());
        Assert.Throws<SimulatedCrashException>(() => scene.RunToRest());
        Assert.Equal(arrived, scene.Ledger.Count);
        scene.OrderPosition("all", isSkipping ? scene.Database.LastDurableEtag : 0);
        await scene.StartAsync(Task(), Sink());
        scene.RunToRest();
        // What was skipped stays; what was sent is not there to be sent again.
        Assert.Equal(isSkipping ? ["orders/5"] : [], Orders(scene));
        Assert.Equal(Enumerable.Range(1, isSkipping ? arrived : 5).Select(n => $"Out: {{\"n\":{n}}}"), Received(scene));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_position_that_is_set_while_the_database_takes_no_deletions_leaves_nothing_that_was_sent(bool keepsPositions)
    {
        await using var scene = await WithDocuments(2);
        var broker = new KeptBroker { Ledger = scene.Ledger };
        bool isBusy = true;
        scene.AtFailpoint = name =>
            _ = isBusy && name == Failpoint.DeletingProcessed ? throw new Documents.Errors.MergerQueueFullException("shop", 1, 1) : 0;
        await scene.StartAsync(Task(), keepsPositions ? new KeepingSink(broker) : null);
        scene.Task.RunStep();
        Assert.Equal((EtlTaskState.Waiting, 2), (scene.Task.State, Orders(scene).Length));
        scene.SetPosition("all", scene.Database.LastDurableEtag);
        scene.Task.RunStep();
        isBusy = false;
        scene.RunToRest();
        Assert.Equal((0, 2), (Orders(scene).Length, scene.Ledger.Count));
    }

    [Fact]
    public async Task A_script_that_was_changed_has_no_say_in_what_was_sent()
    {
        await using var scene = await WithDocuments(1);
        var broker = new KeptBroker { Ledger = scene.Ledger };
        await scene.StartAsync(Task(), new KeepingSink(broker));
        scene.RunToRest();
        await scene.PutAsync("orders/2", """{"n":200}""");
        await scene.PutAsync("orders/3", """{"n":3}""");
        // Not to rest: within a second the database's copy of the position stays behind.
        Assert.Equal(TimeSpan.Zero, scene.Task.RunStep());
        Assert.Equal(["orders/2"], Orders(scene));
        await scene.StartAsync(Task("loadToOut({ n: this.n });"), new KeepingSink(broker));
        scene.RunToRest();
        Assert.Equal(["orders/2"], Orders(scene));
        Assert.Equal(["Out: {\"n\":1}", "Out: {\"n\":3}"], Received(scene));
    }

    [Fact]
    public async Task A_document_whose_message_was_rejected_stays_when_the_process_dies_behind_the_others()
    {
        await using var scene = await WithDocuments(2);
        var broker = new KeptBroker { Ledger = scene.Ledger };
        void Crash(string name) => _ = name == "committed" && scene.Ledger.Count == 1 ? throw new SimulatedCrashException(name) : 0;
        KeepingSink Sink() => new(broker) { At = Crash, IsBad = received => received.Message.Origin.DocumentId == "orders/1" };
        await scene.StartAsync(Task(), Sink());
        Assert.Throws<SimulatedCrashException>(() => scene.RunToRest());
        await scene.StartAsync(Task(), new KeepingSink(broker));
        scene.RunToRest();
        Assert.Equal(["orders/1"], Orders(scene));
        Assert.Equal(["Out: {\"n\":2}"], Received(scene));
    }

    [Fact]
    public async Task A_retry_that_arrived_before_a_crash_leaves_no_document_either()
    {
        await using var scene = await WithDocuments(2);
        var broker = new KeptBroker { Ledger = scene.Ledger };
        bool isSour = true;
        bool isDying = false;
        KeepingSink Sink() =>
            new(broker)
            {
                IsBad = received => isSour && received.Message.Origin.DocumentId == "orders/1",
                At = name => _ = isDying && name == "committed" ? throw new SimulatedCrashException(name) : 0,
            };
        await scene.StartAsync(Task(), Sink());
        scene.RunToRest();
        Assert.Equal(["orders/1"], Orders(scene));
        (isSour, isDying) = (false, true);
        scene.Task.Retry(new RetryRequest(new DeadLetterFilter { TaskId = 7 }, asStored: false, scene.Database.LastDurableEtag));
        Assert.Throws<SimulatedCrashException>(() => scene.RunToRest());
        isDying = false;
        await scene.StartAsync(Task(), Sink());
        scene.RunToRest();
        Assert.Empty(Orders(scene));
        Assert.Empty(scene.DeadLetters());
        Assert.Equal(2, scene.Ledger.Count);
    }

    [Fact]
    public async Task A_document_with_a_dead_letter_stays_until_a_retry_has_sent_the_rest_of_it()
    {
        const string Twice = "loadToOut({ n: this.n }); loadToOther({ n: this.n });";
        await using var scene = await WithDocuments(2);
        bool isSour = true;
        var sink = new RecordingSink(
            scene.Ledger,
            (own, delivery) =>
            {
                for (int i = 0; i < delivery.Messages.Count; i++)
                {
                    if (delivery.IsSettled(i))
                        continue;
                    if (isSour && delivery.Messages[i] is { Target: "Other", Origin.DocumentId: "orders/1" })
                    {
                        delivery.Reject(i, "Too sour.");
                        continue;
                    }
                    own.Receive(delivery, i);
                    delivery.Confirm(i);
                }
            }
        );
        await scene.StartAsync(Task(Twice), sink);
        scene.RunToRest();
        Assert.Equal(["orders/1"], Orders(scene));
        isSour = false;
        scene.Task.Retry(new RetryRequest(new DeadLetterFilter { TaskId = 7 }, asStored: false, scene.Database.LastDurableEtag));
        scene.RunToRest();
        Assert.Empty(Orders(scene));
        Assert.Empty(scene.DeadLetters());
        Assert.Equal(4, scene.Ledger.Count);
    }

    [Fact]
    public async Task Notes_of_deletions_go_when_their_tombstones_are_gone()
    {
        await using var scene = await WithDocuments(1);
        await scene.StartAsync(Task());
        scene.RunToRest();
        Assert.NotNull(FirstNote(scene));
        scene.Clock.Advance(TimeSpan.FromMinutes(6));
        scene.RunToRest();
        Assert.NotNull(FirstNote(scene));
        // A document of the same id takes the tombstone away.
        await scene.PutAsync("orders/1", """{"n":100}""");
        scene.Clock.Advance(TimeSpan.FromMinutes(6));
        scene.RunToRest();
        Assert.Null(FirstNote(scene));
    }

    private static string? FirstNote(Scene scene)
    {
        using var reader = scene.Database.OpenRead("test");
        return reader.Of(EtlRoom.Instance).FirstKey(OwnDeletions.KeyPrefix(7));
    }
}
