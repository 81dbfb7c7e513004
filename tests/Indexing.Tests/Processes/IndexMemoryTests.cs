using Jackdaw.Documents;
using Jackdaw.Indexing.Processes;
using Jackdaw.Storage.Memory;
using Xunit;
using Index = Jackdaw.Indexing.Processes.Index;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>Batches of all indexes share what the server allows.</summary>
public class IndexMemoryTests
{
    private const long Step = IndexingLimits.BatchMemoryStepBytes;

    [Fact]
    public void What_one_of_six_batches_gives_back_the_others_may_take_at_once()
    {
        var allowance = new MemoryAllowance(4 * 24 * Step);
        var memory = new IndexMemory(allowance);
        var shares = Enumerable.Range(0, 6).Select(_ => memory.Begin()).ToList();
        // A sixth of 24 steps each, of which the last is what a batch grows into.
        foreach (var share in shares)
        {
            Assert.True(share.TryGrow(3 * Step));
            Assert.False(share.TryGrow((4 * Step) + 1));
        }
        for (int left = 5; left >= 1; left--)
        {
            shares[0].Dispose();
            shares.RemoveAt(0);
            long own = 24 / left;
            Assert.True(shares[^1].TryGrow((own - 1) * Step), $"{left} batches are left, and one may not take {own} steps.");
        }
        shares[0].Dispose();
        Assert.Equal(0, memory.UsedBytes);
        Assert.Equal(0, allowance.UsedBytes);
    }

    [Fact]
    public void A_batch_ends_when_others_have_taken_the_servers_allowance_and_counts_what_it_has()
    {
        var allowance = new MemoryAllowance(100 * Step);
        var memory = new IndexMemory(allowance);
        allowance.Account("others").Take(99 * Step);
        using (var share = memory.Begin())
        {
            Assert.False(share.TryGrow(Step));
            Assert.Equal(Step, memory.UsedBytes);
            allowance.Account("others").Return(50 * Step);
            Assert.True(share.TryGrow(2 * Step));
        }
        Assert.Equal(0, memory.UsedBytes);
    }

    [Fact]
    public async Task Six_indexes_with_little_memory_catch_up_and_give_everything_back()
    {
        var allowance = new MemoryAllowance(1 << 20);
        await using var db = await IndexedDatabase.OpenAsync(IndexedDatabase.Options() with { Memory = allowance });
        for (int i = 0; i < 300; i++)
            await db.PutAsync($"docs/{i}", $"C{i % 6}", $"\"name\":\"{new string('x', 2000)}\"");
        var indexes = new List<Index>();
        for (int i = 0; i < 6; i++)
            indexes.Add(await db.EnsureAsync($"C{i}", "name"));
        foreach (var index in indexes)
        {
            await db.CatchUpAsync(index);
            Assert.Equal(50, IndexedDatabase.Contents(index).Count);
            Assert.True(index.Statistics().Batches > 1);
        }
        await Eventually.IsAsync(() => db.Processes.BatchMemoryBytes == 0);
    }

    /// <summary>One large document does not wait for memory that there never is.</summary>
    [Fact]
    public async Task A_document_that_is_larger_than_the_share_is_indexed_all_the_same()
    {
        await using var db = await IndexedDatabase.OpenAsync(IndexedDatabase.Options() with { Memory = new MemoryAllowance(256 << 10) });
        await db.PutAsync("docs/1", "C", $"\"name\":\"{new string('x', 2_000_000)}\"");
        var index = await db.EnsureAsync("C", "name");
        await db.CatchUpAsync(index);
        Assert.Single(IndexedDatabase.Contents(index));
    }
}
