using Jackdaw.Documents;
using Jackdaw.Indexing.Processes;
using Xunit;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>What holds deletions back is what an index has seen durably.</summary>
public class TombstoneHoldingTests
{
    [Fact]
    public async Task Deletions_wait_until_the_index_has_seen_them_durably() => Assert.Equal(0, await HeldAsync(PlantedIndexFault.None));

    [Fact]
    public async Task The_test_finds_a_position_that_is_only_visible() =>
        Assert.NotEqual(0, await HeldAsync(PlantedIndexFault.HoldVisiblePosition));

    /// <summary>The etag that is held, of an index whose journal is not written for an hour.</summary>
    private static async Task<long> HeldAsync(PlantedIndexFault fault)
    {
        await using var db = await IndexedDatabase.OpenAsync(
            IndexedDatabase.Options() with
            {
                Planted = fault,
            },
            change: options => options with { Storage = options.Storage with { LazyJournalInterval = TimeSpan.FromHours(1) } }
        );
        var index = await db.EnsureAsync("Users", "name");
        await db.PutAsync("users/1", "Users", "");
        await db.DeleteAsync("users/1");
        await db.CatchUpAsync(index);
        Assert.False(index.IsStale());
        Assert.Equal(0, index.Statistics().DurablePosition);
        return Held(db);
    }

    [Fact]
    public async Task Deletions_go_when_the_journal_has_been_written()
    {
        await using var db = await IndexedDatabase.OpenAsync(change: options =>
            options with
            {
                TombstoneCleaningInterval = TimeSpan.FromMilliseconds(10),
                Storage = options.Storage with { LazyJournalInterval = TimeSpan.FromMilliseconds(10) },
            }
        );
        var index = await db.EnsureAsync("Users", "name");
        await db.PutAsync("users/1", "Users", "");
        await db.DeleteAsync("users/1");
        await db.CatchUpAsync(index);
        await Eventually.IsAsync(() => db.Database.Statistics().TombstoneCount == 0);
        Assert.Equal(db.Database.LastDurableEtag, index.Statistics().DurablePosition);
    }

    [Fact]
    public async Task A_deleted_index_holds_nothing_back()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        var index = await db.EnsureAsync("Users", "name");
        Assert.Single(db.Database.Consumers.Places()!);
        await db.Indexes.DeleteAsync(index.Name);
        Assert.Empty(db.Database.Consumers.Places()!);
    }

    private static long Held(IndexedDatabase db) => Assert.Single(db.Database.Consumers.Places()!).Etag;
}
