using Jackdaw.Documents.Errors;
using Xunit;

namespace Jackdaw.Documents.Tests.Regressions;

/// <summary>What a merged transaction answers when it cannot be committed after all its operations were executed.</summary>
public sealed class RefusedTogetherTests
{
    private static string Text(int bytes) => $$"""{"text":"{{new string('x', bytes)}}"}""";

    /// <summary>
    /// A conflict with a write of the same transaction kept its answer when the full disk took that write back: the caller was
    /// told of a document, with a change vector,
    /// that never came to be.
    /// </summary>
    [Fact]
    public void A_conflict_with_a_write_that_a_full_disk_takes_back_is_not_told()
    {
        using var disk = new FaultyDisk();
        using var database = new TestDatabase(disk: disk);
        disk.JournalIsFull = true;
        Exception? takenBack = null;
        for (int i = 0; i < 1000 && takenBack is null; i++)
        {
            var write = database.Merger.Submit(TestDatabase.Put($"docs/{i}", Text(100_000))).AsTask();
            var conflict = database.Merger.Submit(TestDatabase.Put($"docs/{i}", "{}", expected: "")).AsTask();
            database.RunAll();
            takenBack = write.Exception?.InnerException;
            if (takenBack is null)
                Assert.IsType<ConcurrencyException>(conflict.Exception?.InnerException);
            else
                Assert.IsType<OutOfDiskException>(conflict.Exception?.InnerException);
        }
        Assert.IsType<OutOfDiskException>(takenBack);
        Assert.Null(database.Storage.Poison);
    }

    /// <summary>
    /// An operation that just fitted under the largest transaction left no page for the counters, which are written last: the
    /// commit failed with what is no declared
    /// error, and the database was poisoned instead of the operation refused.
    /// </summary>
    [Fact]
    public void An_operation_that_leaves_no_room_for_the_counters_is_refused_or_waits_for_a_transaction_of_its_own()
    {
        const int Page = 8192;
        using var database = new TestDatabase(maxTransactionBytes: 64 * Page);
        database.Do(TestDatabase.Put("first", "{}"));
        int together = 0;
        int refused = 0;
        for (int pages = 30; pages < 70; pages++)
        {
            long before = database.Merger.Statistics.Transactions;
            var small = database.Merger.Submit(TestDatabase.Put($"small/{pages}", "{}")).AsTask();
            var large = database.Merger.Submit(TestDatabase.Put($"large/{pages}", Text(pages * Page))).AsTask();
            var other = database.Merger.Submit(TestDatabase.Put($"other/{pages}", "{}")).AsTask();
            database.RunAll();
            Assert.Null(database.Storage.Poison);
            Assert.True(small.IsCompletedSuccessfully && other.IsCompletedSuccessfully);
            if (large.IsCompletedSuccessfully && database.Merger.Statistics.Transactions == before + 1)
                together++;
            else if (!large.IsCompletedSuccessfully)
                refused++;
            Assert.True(large.IsCompletedSuccessfully || large.Exception?.InnerException is OperationTooLargeException);
        }
        // The sizes went from what fits easily to what cannot fit, by one page at a time: one of them left no room for the counters.
        Assert.True(together > 0 && refused > 0);
        using var reader = database.Read();
        Assert.Equal(1 + 40 * 3 - refused, reader.DocumentCount);
        Assert.Equal(reader.DocumentCount, reader.LastEtag);
        Assert.Empty(Maintenance.DocumentsCheck.Run(database.Storage));
    }
}
