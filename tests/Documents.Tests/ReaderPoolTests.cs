using Jackdaw.Documents.Reading;
using Jackdaw.Storage.Transactions;
using Xunit;

namespace Jackdaw.Documents.Tests;

/// <summary>What readers keep for the next ones.</summary>
public sealed class ReaderPoolTests : IDisposable
{
    private readonly TestDatabase _database = new();
    private readonly ReaderPool _pool;

    public ReaderPoolTests()
    {
        _database.Do(TestDatabase.Put("docs/1", """{"@metadata":{"@collection":"Docs"}}"""));
        _pool = new ReaderPool(_database.Storage);
    }

    public void Dispose()
    {
        _pool.Dispose();
        _database.Dispose();
    }

    [Fact]
    public void A_burst_of_readers_leaves_the_bound_and_those_that_nobody_needs_between_two_trims_go()
    {
        Burst(2 * ReaderPool.MaxReaders);
        Assert.Equal((_pool.MaxKeptBytes, "readers"), (_pool.KeptBytes, _pool.Owner));
        // The first trim after a burst only notes what is there.
        Assert.Equal(0, _pool.Trim());
        Burst(3);
        Assert.Equal((ReaderPool.MaxReaders - 3) * (long)ReaderPool.ReaderBytes, _pool.Trim());
        Assert.Equal(3 * (long)ReaderPool.ReaderBytes, _pool.KeptBytes);
        Assert.True(_pool.Trim() > 0);
        Assert.Equal(0, _pool.KeptBytes);
    }

    /// <summary>The measured size of a reader that has looked at everything, against the size that is counted.</summary>
    [Fact]
    public void A_reader_takes_no_more_than_is_counted_for_it()
    {
        const int Readers = 50;
        var kept = new List<ReadTransaction>();
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < Readers; i++)
        {
            var transaction = _pool.Begin("test");
            var reader = new DocumentsReader(transaction, null);
            Assert.True(reader.TryGet("docs/1", out _));
            Assert.Single(reader.Collections());
            Assert.Equal(0, reader.TombstoneCount);
            kept.Add(transaction);
        }
        // What was allocated bounds what is kept.
        Assert.InRange((GC.GetAllocatedBytesForCurrentThread() - before) / Readers, 1, ReaderPool.ReaderBytes);
        kept.ForEach(_pool.End);
    }

    private void Burst(int readers)
    {
        var burst = Enumerable.Range(0, readers).Select(_ => _pool.Begin("test")).ToList();
        foreach (var reader in burst)
        {
            Assert.True(new DocumentsReader(reader, null).TryGet("docs/1", out _));
            _pool.End(reader);
        }
    }
}
