using Jackdaw.Documents;
using Jackdaw.Indexing.Processes;
using Xunit;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>Indexes over <c>@events</c>.</summary>
public class EventIndexTests
{
    private const string First = "@events/1/00000000000000000001";
    private const string Second = "@events/1/00000000000000000002";

    [Fact]
    public async Task An_index_over_events_has_their_members_and_one_over_all_documents_has_none_of_them()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        var index = await db.EnsureAsync("@events", "payload.n", "stream");
        var all = await db.EnsureAsync(null, "stream");
        await db.AppendAsync("Account-1", 1, """{"n":7}""");
        await db.PutAsync("users/1", "Users", "\"stream\":\"none\"");
        await db.CatchUpAsync(index);
        await db.CatchUpAsync(all);

        Assert.Equal(
            [$"id()=\"{First}\"", "payload.n=7", "stream=\"Account-1\""],
            Assert.Single(IndexedDatabase.Contents(index)).Value.Trim().Split('\n').Order()
        );
        Assert.Equal(["users/1"], IndexedDatabase.Contents(all).Keys);
        Assert.False(all.IsStale());
        await db.AppendAsync("Account-1", 2, """{"n":8}""");
        Assert.False(all.IsStale());
        await db.CatchUpAsync(index);
        Assert.Equal([First, Second], IndexedDatabase.Contents(index).Keys);
    }

    [Fact]
    public async Task An_event_that_was_deleted_before_the_index_came_to_it_is_never_in_it()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        await db.AppendAsync("a", 1, """{"n":1}""", """{"n":2}""", """{"n":3}""");
        await db.DeleteEventsAsync("a", 2);
        var index = await db.EnsureAsync("@events", "payload.n");
        await db.CatchUpAsync(index);

        // The deletion is older than the index: it may be removed between any two batches, and nobody would tell the index of it.
        Assert.Equal(1, index.Statistics().MapAttempts);
        Assert.Equal(["@events/1/00000000000000000003"], IndexedDatabase.Contents(index).Keys);
    }

    [Fact]
    public async Task Deleted_events_wait_until_the_index_has_seen_the_deletion_durably()
    {
        await using var db = await IndexedDatabase.OpenAsync(change: options =>
            options with
            {
                TombstoneCleaningInterval = TimeSpan.FromMilliseconds(10),
                Storage = options.Storage with { LazyJournalInterval = TimeSpan.FromMilliseconds(10) },
            }
        );
        var index = await db.EnsureAsync("@events", "payload.n");
        await db.AppendAsync("a", 1, """{"n":1}""", """{"n":2}""");
        await db.CatchUpAsync(index);
        await Eventually.IsAsync(() => index.Statistics().DurablePosition == db.Database.LastDurableEtag);
        db.Indexes.Pause();
        await db.DeleteEventsAsync("a", 1);
        // A deletion that nobody waits for: when it is gone, the cleaning has come by.
        await db.PutAsync("users/1", "Users", "");
        await db.DeleteAsync("users/1");
        await Eventually.IsAsync(() => db.Database.Statistics().TombstoneCount == 0);
        Assert.Equal(2, db.EventsOnDisk());
        Assert.True(index.IsStale());

        db.Indexes.Resume();
        await Eventually.IsAsync(() => db.EventsOnDisk() == 1);
        Assert.Equal([Second], IndexedDatabase.Contents(index).Keys);
        Assert.False(index.IsStale());
    }
}
