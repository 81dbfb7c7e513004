using Jackdaw.Documents.Tombstones;
using Xunit;

namespace Jackdaw.Documents.Tests;

/// <summary>Whose tombstones wait for whom.</summary>
public sealed class DeletionsByCollectionTests : IDisposable
{
    private readonly TestDatabase _database = new();
    private readonly ConsumerPositions _consumers;
    private readonly TombstoneCleaner _cleaner;

    public DeletionsByCollectionTests()
    {
        _consumers = new ConsumerPositions(_database.Clock);
        _cleaner = new TombstoneCleaner(_database.Merger, _consumers, _database.Clock, TimeSpan.FromMinutes(1), TimeSpan.FromDays(14));
    }

    public void Dispose() => _database.Dispose();

    [Fact]
    public void An_idle_consumer_of_one_collection_holds_no_tombstones_of_another()
    {
        Register("reader of A", 0, "A");
        Delete("A", "B", "B", "A", "C");
        Clean();
        Assert.Equal((2, 0, 0), Left());
    }

    [Fact]
    public void Each_collection_is_cleaned_up_to_the_lowest_of_those_who_want_it()
    {
        // Etags 1 to 6 are the documents; their deletions are 7 to 12, of A and B in turns.
        Delete("A", "B", "A", "B", "A", "B");
        Register("A", 9, "A");
        var both = Register("both", 8, "A", "B");
        var all = _consumers.Register("all", 12);
        Clean();
        Assert.Equal((2, 2, 0), Left());
        both.Etag = 12;
        Clean();
        Assert.Equal((1, 0, 0), Left());
        all.Etag = 3;
        Delete("B");
        Clean();
        Assert.Equal((1, 1, 0), Left());
        all.Dispose();
        both.Dispose();
        Clean();
        // Nobody wants B any more; A is as before.
        Assert.Equal((1, 0, 0), Left());
    }

    [Fact]
    public void A_consumer_of_a_collection_that_does_not_exist_yet_holds_its_tombstones_from_the_first_on()
    {
        Register("later", 0, "C");
        Delete("A");
        Clean();
        Assert.Equal((0, 0, 0), Left());
        Delete("C", "A");
        Clean();
        Assert.Equal((0, 0, 1), Left());
    }

    [Fact]
    public void A_consumer_that_changes_its_collections_holds_those_of_the_new_ones_from_then_on()
    {
        var former = Register("one", 0, "A");
        Delete("A", "B");
        Clean();
        Assert.Equal((1, 0, 0), Left());
        // Between the two nothing goes.
        using (_consumers.HoldCleaning())
        {
            former.Dispose();
            Clean();
            Assert.Equal((1, 0, 0), Left());
            Register("one", 0, "B");
        }
        Delete("A", "B");
        Clean();
        Assert.Equal((0, 1, 0), Left());
    }

    [Fact]
    public void A_disabled_consumer_misses_deletions_of_its_own_collections_only()
    {
        var disabled = Register("disabled", 0, "A");
        disabled.IsEnabled = false;
        Delete("B");
        _database.Clock.Advance(ConsumerPositions.HeldForDisabled + TimeSpan.FromHours(1));
        Clean();
        Assert.Empty(Gaps());
        Delete("A");
        Clean();
        Assert.Equal((0, 0, 0), Left());
        var gap = Assert.Single(Gaps());
        Assert.Equal(("disabled", 0, 4, 1), (gap.Consumer, gap.FromEtag, gap.ToEtag, gap.Deletions));
        Assert.True(disabled.MustBeginAnew);
    }

    [Fact]
    public void What_grows_too_old_is_missed_by_those_who_want_its_collection()
    {
        Register("A", 0, "A");
        Register("B", 0, "B");
        Delete("A", "B", "A");
        _database.Clock.Advance(TimeSpan.FromDays(15));
        Clean();
        Assert.Equal((0, 0, 0), Left());
        Assert.Equal([("a", 2), ("b", 1)], Gaps().Select(gap => (gap.Consumer, gap.Deletions)));
    }

    [Fact]
    public void While_consumers_register_nothing_is_cleaned_however_old_it_is()
    {
        Delete("A", "B");
        var hold = _consumers.HoldCleaning();
        using (_consumers.HoldCleaning())
        {
            _database.Clock.Advance(TimeSpan.FromDays(20));
            Clean();
        }
        Clean();
        Assert.Equal((1, 1, 0), Left());
        Register("late", 0, "A");
        hold.Dispose();
        hold.Dispose();
        Clean();
        Assert.Equal((0, 0, 0), Left());
        // It was there in time to be told what it has missed.
        Assert.Equal(["late"], Gaps().Select(gap => gap.Consumer));
    }

    /// <summary>More than one operation removes, in many collections.</summary>
    [Fact]
    public void All_that_may_go_goes_in_bounded_operations()
    {
        Register("reader of C7", 0, "C7");
        const int Each = (Limits.TombstonesPerCleaning / 10) + 7;
        Delete(Enumerable.Range(0, 25 * Each).Select(i => $"C{i % 25}").ToArray());
        long before = _database.Merger.Statistics.Operations;
        Clean(steps: 40);
        using var reader = _database.Read();
        Assert.Equal(Each, reader.TombstoneCount);
        Assert.Equal(Each, reader.Collection("C7")!.TombstoneCount);
        Assert.Equal(3, _database.Merger.Statistics.Operations - before);
        Assert.Equal(24 * Each, _cleaner.Removed);
    }

    /// <summary>It had a cleaning interval of time before anybody had registered, and took what they had yet to read.</summary>
    [Fact]
    public async Task Tombstones_outlive_an_opening_that_takes_longer_than_the_interval_of_cleaning()
    {
        string folder = Directory.CreateTempSubdirectory("jackdaw-slow-opening-").FullName;
        try
        {
            await using (var databases = Databases.Open(Options(folder, TimeSpan.FromHours(1), opened: null)))
            {
                await databases.CreateAsync("db", "{}"u8.ToArray());
                var database = databases.Get("db");
                await database.SubmitAsync(TestDatabase.Put("a", "{}"));
                await database.SubmitAsync(TestDatabase.Delete("a"));
            }
            long found = 0;
            var slow = Options(
                folder,
                TimeSpan.FromMilliseconds(1),
                database =>
                {
                    // Time for many rounds.
                    Thread.Sleep(600);
                    database.Consumers.Register("reader", 0);
                    found = database.Statistics().TombstoneCount;
                }
            );
            await using (Databases.Open(slow))
                Assert.Equal(1, found);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>The consumers of a database leave before it is closed, and the cleaner took what they had yet to read.</summary>
    [Fact]
    public async Task Tombstones_outlive_a_closing_that_takes_longer_than_the_interval_of_cleaning()
    {
        string folder = Directory.CreateTempSubdirectory("jackdaw-slow-closing-").FullName;
        try
        {
            var slow = Options(
                folder,
                TimeSpan.FromMilliseconds(1),
                database =>
                {
                    var reader = database.Consumers.Register("reader", 0);
                    database.Attach(new SlowCompanion(reader.Dispose));
                }
            );
            await using (var databases = Databases.Open(slow))
            {
                await databases.CreateAsync("db", "{}"u8.ToArray());
                await databases.Get("db").SubmitAsync(TestDatabase.Put("a", "{}"));
                await databases.Get("db").SubmitAsync(TestDatabase.Delete("a"));
            }
            await using (var databases = Databases.Open(Options(folder, TimeSpan.FromHours(1), opened: null)))
                Assert.Equal(1, databases.Get("db").Statistics().TombstoneCount);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private sealed class SlowCompanion(Action leave) : IAsyncDisposable
    {
        public async ValueTask DisposeAsync()
        {
            leave();
            // Time for many rounds.
            await Task.Delay(600);
        }
    }

    private static DatabasesOptions Options(string folder, TimeSpan interval, Action<Database>? opened) =>
        new()
        {
            DataDir = folder,
            TombstoneCleaningInterval = interval,
            Opened = opened,
            Storage = new Storage.EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
        };

    private ConsumerPosition Register(string name, long etag, params string[] collections) =>
        _consumers.Register(name, etag, collection => collections.Contains(collection));

    /// <summary>One document in each, and then their deletions, in this order.</summary>
    private void Delete(params string[] collections)
    {
        for (int i = 0; i < collections.Length; i++)
            _database.Do(TestDatabase.Put($"d/{i}", $$$"""{"@metadata":{"@collection":"{{{collections[i]}}}"}}"""));
        for (int i = 0; i < collections.Length; i++)
            _database.Do(TestDatabase.Delete($"d/{i}"));
    }

    private void Clean(int steps = 5)
    {
        _database.Clock.Advance(TimeSpan.FromMinutes(2));
        for (int i = 0; i < steps; i++)
        {
            _cleaner.RunStep();
            _database.RunAll();
        }
    }

    private (long A, long B, long C) Left()
    {
        using var reader = _database.Read();
        return (Of("A"), Of("B"), Of("C"));

        long Of(string collection) => reader.Collection(collection)?.TombstoneCount ?? 0;
    }

    private List<DeletionGap> Gaps()
    {
        using var reader = _database.Read();
        return reader.Gaps("").ToList();
    }
}
