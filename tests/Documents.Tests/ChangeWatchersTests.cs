using System.Text;
using Jackdaw.Documents.Watching;
using Xunit;

namespace Jackdaw.Documents.Tests;

public class ChangeWatchersTests
{
    [Fact]
    public void A_consumer_is_woken_for_its_collections_and_for_the_kinds_of_changes_that_it_wants()
    {
        using var database = new TestDatabase();
        var woken = new List<string>();
        Watch("A", collection => collection == "A" ? ChangeKinds.All : ChangeKinds.None);
        Watch("puts of A", collection => collection == "A" ? ChangeKinds.Documents : ChangeKinds.None);
        Watch("A and B", collection => collection is "A" or "B" ? ChangeKinds.All : ChangeKinds.None);
        Watch("later", collection => collection == "Later" ? ChangeKinds.All : ChangeKinds.None);
        Watch("all", null);

        Assert.Equal(["A", "puts of A", "A and B", "all"], After(() => Put("a/1", "A")));
        Assert.Equal(["A and B", "all"], After(() => Put("b/1", "B")));
        Assert.Equal(["all"], After(() => Put("c/1", "C")));
        Assert.Equal(["A", "A and B", "all"], After(() => database.Do(TestDatabase.Delete("a/1"))));
        Assert.Equal(["A and B", "all"], After(() => database.Do(TestDatabase.Delete("b/1"))));
        // Nobody reads identities, positions, or that a tombstone was cleaned.
        Assert.Empty(After(() => database.Do(new Commands.NextIdentityOperation("numbers|"))));
        Assert.Empty(After(() => database.Do(new NotesRoom.Store("notes/a", [1]))));
        Assert.Empty(After(() => database.Do(new Documents.Tombstones.CleanTombstonesOperation { UpToEtag = 100 })));
        // A collection that does not exist when somebody begins to wait for it.
        Assert.Equal(["later", "all"], After(() => Put("l/1", "Later")));
        // One transaction, two collections, each consumer once.
        Assert.Equal(
            ["A", "puts of A", "A and B", "all"],
            After(() =>
            {
                var batch = TestDatabase.Put("a/2", """{"@metadata":{"@collection":"A"}}""");
                TestDatabase.AddPut(batch, "b/2", """{"@metadata":{"@collection":"B"}}""");
                database.Do(batch);
            })
        );

        void Watch(string name, Func<string, ChangeKinds>? wants) => database.Watchers.Watch(wants, () => woken.Add(name));

        void Put(string id, string collection) =>
            database.Do(TestDatabase.Put(id, $$$"""{"@metadata":{"@collection":"{{{collection}}}"}}"""));

        List<string> After(Action act)
        {
            woken.Clear();
            act();
            return woken;
        }
    }

    [Fact]
    public void A_refused_operation_wakes_nobody_and_the_next_transaction_wakes_for_its_own_changes_only()
    {
        using var database = new TestDatabase();
        var woken = new List<string>();
        foreach (string name in new[] { "A", "B" })
            database.Watchers.Watch(collection => collection == name ? ChangeKinds.All : ChangeKinds.None, () => woken.Add(name));
        // Executed together, dropped together, executed again without the one that is refused.
        database.SubmitOnly(TestDatabase.Put("b/1", """{"@metadata":{"@collection":"B"}}"""));
        var refused = TestDatabase.Put("a/1", """{"@metadata":{"@collection":"A"}}""");
        TestDatabase.AddPut(refused, "a/2", "{}", expected: "A:5-AAAAAAAAAAAAAAAAAAAAAA");
        database.SubmitOnly(refused);
        database.RunAll();
        Assert.Equal(["B"], woken);
        woken.Clear();
        database.Do(TestDatabase.Put("a/1", """{"@metadata":{"@collection":"A"}}"""));
        Assert.Equal(["A"], woken);
    }

    [Fact]
    public void Who_has_left_is_not_woken()
    {
        using var database = new TestDatabase();
        int woken = 0;
        var watch = database.Watchers.Watch(null, () => woken++);
        database.Do(TestDatabase.Put("a", "{}"));
        watch.Dispose();
        database.Do(TestDatabase.Put("a", "{}"));
        Assert.Equal(1, woken);
    }

    [Fact]
    public void Noting_and_waking_allocate_nothing_once_the_collections_are_known()
    {
        var watchers = new ChangeWatchers();
        int woken = 0;
        for (int i = 0; i < 60; i++)
        {
            string mine = $"C{i}";
            watchers.Watch(collection => collection == mine ? ChangeKinds.All : ChangeKinds.None, () => woken++);
        }
        CollectionChange[] changes =
        [
            new(1, Encoding.UTF8.GetBytes("C1"), ChangeKinds.Documents),
            new(7, Encoding.UTF8.GetBytes("C7"), ChangeKinds.All),
        ];
        // While it runs the loop the runtime may compile it anew, on this thread and with memory of its own; not each time.
        var allocated = Enumerable.Range(0, 5).Select(_ => AllocatedByMany()).ToList();
        Assert.Contains(0, allocated);
        Assert.Equal(2 * 5 * 1000, woken);

        long AllocatedByMany()
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < 1000; i++)
                Go();
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }

        void Go()
        {
            watchers.Note(changes);
            watchers.Wake();
        }
    }
}
