using Jackdaw.Documents.Watching;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Running;
using Xunit;

namespace Jackdaw.Etl.Tests;

/// <summary>A document that is deleted in one collection and put in another, before a task has read the deletion.</summary>
public class MovedDocumentTests
{
    private const string Script = "loadToOut({ n: this.n });";

    [Fact]
    public async Task To_a_task_over_the_collection_that_it_left_it_is_deleted()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", """{"n":1}""");
        await scene.StartAsync(Task(Transform("Orders")));
        scene.RunToRest();
        await MoveAsync(scene, "orders/1", "Archive");
        scene.RunToRest();
        Assert.Equal(["orders/1 in Orders, etag 1", "orders/1 gone from Orders, etag 2"], Told(scene));
    }

    [Fact]
    public async Task To_a_task_over_all_documents_it_is_deleted_first_and_then_there()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", """{"n":1}""");
        await scene.StartAsync(Task(Transform() with { ApplyToAllDocuments = true }));
        scene.RunToRest();
        await MoveAsync(scene, "orders/1", "Archive");
        await MoveAsync(scene, "orders/1", "@empty");
        scene.RunToRest();
        // Whoever goes by the id alone ends with what is there.
        Assert.Equal(
            [
                "orders/1 in Orders, etag 1",
                "orders/1 gone from Orders, etag 2",
                "orders/1 gone from Archive, etag 4",
                "orders/1 in @empty, etag 5",
            ],
            Told(scene)
        );
    }

    [Fact]
    public async Task To_a_task_over_both_collections_it_is_deleted_first_and_then_there_and_one_over_neither_hears_nothing()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", """{"n":1}""");
        await MoveAsync(scene, "orders/1", "Archive");
        await scene.StartAsync(Task(Transform("archive", "ORDERS", "Archive"), Transform("Users") with { Name = "Neither" }));
        scene.RunToRest();
        Assert.Equal(["orders/1 gone from Orders, etag 2", "orders/1 in Archive, etag 3"], Told(scene));
    }

    [Fact]
    public async Task Its_deletion_that_was_refused_is_sent_by_a_retry_unless_the_transform_reads_where_it_is_now()
    {
        foreach (bool readsBoth in new[] { false, true })
        {
            await using var scene = await Scene.OpenAsync();
            await scene.PutAsync("orders/1", """{"n":1}""");
            bool refuses = false;
            var sink = new RecordingSink(
                scene.Ledger,
                (own, delivery) =>
                {
                    for (int i = 0; i < delivery.Messages.Count; i++)
                    {
                        if (delivery.IsSettled(i))
                            continue;
                        if (refuses && delivery.Messages[i].Origin.IsDeletion)
                        {
                            delivery.Try(i);
                            delivery.Reject(i, "Too sour.");
                            continue;
                        }
                        own.Receive(delivery, i);
                        delivery.Confirm(i);
                    }
                }
            );
            await scene.StartAsync(
                Task(readsBoth ? Transform("Orders", "Archive") : Transform("Orders")) with
                {
                    MaxFailedShare = 1,
                },
                sink
            );
            scene.RunToRest();
            refuses = true;
            await MoveAsync(scene, "orders/1", "Archive");
            scene.RunToRest();
            Assert.Single(scene.DeadLetters());
            refuses = false;
            var request = new RetryRequest(new DeadLetterFilter { TaskId = 7 }, asStored: false, scene.Database.LastDurableEtag);
            scene.Task.Retry(request);
            scene.RunToRest();
            // Told after the document in the other collection, it would be believed to be gone.
            string last = readsBoth ? "orders/1 in Archive, etag 3" : "orders/1 gone from Orders, etag 2";
            Assert.Equal(["orders/1 in Orders, etag 1", last], Told(scene));
            Assert.Equal(readsBoth ? 1 : 0, scene.DeadLetters().Length);
        }
    }

    [Fact]
    public async Task A_dead_letter_of_a_document_that_moved_away_is_superseded_by_its_deletion()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", """{"n":1}""");
        var sink = new RecordingSink(
            scene.Ledger,
            (_, delivery) =>
            {
                delivery.Try(0);
                delivery.Reject(0, "Too sour.");
            }
        );
        await scene.StartAsync(Task(Transform("Orders") with { PublishDeletes = false }) with { MaxFailedShare = 1 }, sink);
        scene.RunToRest();
        await MoveAsync(scene, "orders/1", "Archive");
        var request = new RetryRequest(new DeadLetterFilter { TaskId = 7 }, asStored: false, scene.Database.LastDurableEtag);
        scene.Task.Retry(request);
        scene.RunToRest();
        Assert.Empty(scene.Ledger);
        // Etag 2 was the dead letter's own.
        Assert.Contains("\"SupersededBy\":\"A:3-", Assert.Single(scene.DeadLetters()), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_task_is_woken_for_what_its_transforms_read()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.StartAsync(
            Task(
                Transform("Orders"),
                Transform("Users", "orders") with
                {
                    Name = "Puts",
                    PublishDeletes = false,
                },
                Transform("Idle") with
                {
                    Name = "Off",
                    Disabled = true,
                }
            )
        );
        Assert.Equal(ChangeKinds.All, scene.Task.Wants("ORDERS"));
        Assert.Equal(ChangeKinds.Documents, scene.Task.Wants("users"));
        Assert.Equal(ChangeKinds.None, scene.Task.Wants("Idle"));
        Assert.Equal(ChangeKinds.None, scene.Task.Wants("@dead-letters"));
        await scene.StartAsync(Task(Transform() with { ApplyToAllDocuments = true }));
        Assert.Equal(ChangeKinds.All, scene.Task.Wants("@empty"));
        Assert.Equal(ChangeKinds.All, scene.Task.Wants("Any"));
        Assert.Equal(ChangeKinds.None, scene.Task.Wants("@dead-letters"));
    }

    [Fact]
    public async Task What_others_write_counts_for_nothing_in_what_a_task_is_behind()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.StartAsync(Task(Transform("Orders")));
        scene.RunToRest();
        for (int i = 0; i < 20; i++)
            await scene.PutAsync($"users/{i}", "{}", "Users");
        await scene.PutAsync("orders/1", "{}");
        await scene.PutAsync("users/0", "{}", "Users");
        await scene.PutAsync("orders/2", "{}");
        await scene.DeleteAsync("users/1");
        var status = Assert.Single(scene.Task.Status().Transforms);
        Assert.Equal((2, 3), (status.DocumentsBehind, status.EtagsBehind));
    }

    private static async Task MoveAsync(Scene scene, string id, string collection)
    {
        await scene.DeleteAsync(id);
        await scene.PutAsync(id, """{"n":2}""", collection);
    }

    private static IEnumerable<string> Told(Scene scene) =>
        scene
            .Ledger.Select(message => message.Message.Origin)
            .Select(origin => $"{origin.DocumentId} {(origin.IsDeletion ? "gone from" : "in")} {origin.Collection}, etag {origin.Etag}");

    private static EtlTaskConfiguration Task(params TransformConfiguration[] transforms) => Scene.Configuration(transforms);

    private static TransformConfiguration Transform(params string[] collections) =>
        Scene.Transform(Script) with
        {
            Collections = collections,
            PublishDeletes = true,
        };
}
