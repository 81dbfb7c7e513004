using Jackdaw.Indexing.Processes;
using Jackdaw.Storage.Pages;
using Xunit;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>Batches are as large as a transaction comfortably holds.</summary>
public class IndexBatchSizeTests
{
    private const long MaxTransaction = 256L << 20;
    private const long Wanted = MaxTransaction / 2;

    /// <summary>
    /// A step of 50,000 distinct values in an index of 10,000,000 changed more pages than a transaction may: the work of 32,000 documents
    /// was thrown away before the batch was made again, smaller.
    /// </summary>
    [Fact]
    public async Task Documents_that_change_a_page_each_are_indexed_without_a_batch_that_is_too_large()
    {
        const int Documents = 1_000;
        const int PagesOfTransaction = 256;
        List<(int Sources, bool IsRefused)> batches = [];
        await using var db = await IndexedDatabase.OpenAsync(
            IndexedDatabase.Options() with
            {
                OpenContent = PagedContent.Open(batches),
            },
            change: options =>
                options with
                {
                    Storage = options.Storage with { MaxTransactionBytes = PagesOfTransaction * PageLayout.PageSize },
                }
        );
        db.Indexes.Pause();
        var index = await db.EnsureAsync("Users", "name");
        for (int i = 0; i < Documents; i++)
            await db.PutAsync($"users/{i}", "Users", "\"name\":\"one\"");
        db.Indexes.Resume();
        await db.CatchUpAsync(index);

        lock (batches)
        {
            Assert.All(batches, batch => Assert.False(batch.IsRefused, $"A batch of {batch.Sources} documents was too large."));
            Assert.Equal(Documents, batches.Sum(batch => batch.Sources));
            // How many there are beyond that is up to the clock: a batch also ends after a time.
            Assert.All(batches, batch => Assert.InRange(batch.Sources, 0, PagesOfTransaction * 3 / 4));
        }
    }

    [Fact]
    public void A_batch_of_the_next_size_takes_half_a_transaction_where_pages_grow_with_it()
    {
        var size = new BatchSize();
        long batch = size.MostBytes;
        size.Applied(batch, Wanted / 3, MaxTransaction);
        Assert.Equal(batch * 3, size.MostBytes);
        size.Applied(size.MostBytes, Wanted * 3 / 2, MaxTransaction);
        Assert.Equal(batch * 2, size.MostBytes);
    }

    [Fact]
    public void Batches_that_change_few_pages_are_soon_as_large_as_memory_allows()
    {
        var size = new BatchSize();
        for (int i = 0; i < 4; i++)
            size.Applied(size.MostBytes, 1 << 20, MaxTransaction);
        Assert.True(size.MostBytes >= IndexingLimits.MaxBatchMemoryBytes);
    }

    [Fact]
    public void A_small_batch_tells_nothing_of_a_large_one()
    {
        var size = new BatchSize();
        size.Applied(1_000, 20 * PageLayout.PageSize, MaxTransaction);
        Assert.Equal(BatchSize.FirstBytes, size.MostBytes);
    }

    [Fact]
    public void A_batch_is_smaller_where_there_is_little_room_for_its_pages_and_the_next_one_is_not()
    {
        var size = new BatchSize();
        long batch = size.MostBytes;
        Assert.Equal(batch, size.MostBytesIn(2 * Wanted, MaxTransaction));
        Assert.Equal(batch / 2, size.MostBytesIn(Wanted / 2, MaxTransaction));
        Assert.Equal(batch / 4, size.MostBytesIn(0, MaxTransaction));
        size.Applied(batch / 2, Wanted / 2, MaxTransaction);
        Assert.Equal(batch, size.MostBytesIn(Wanted, MaxTransaction));
    }

    [Fact]
    public void A_batch_that_was_too_large_is_followed_by_smaller_ones_down_to_one_document()
    {
        var size = new BatchSize();
        size.Refused(batchBytes: 1_000);
        Assert.Equal(250, size.MostBytes);
        for (int i = 0; i < 10; i++)
            size.Refused(size.MostBytes);
        Assert.Equal(1, size.MostBytes);
    }
}
