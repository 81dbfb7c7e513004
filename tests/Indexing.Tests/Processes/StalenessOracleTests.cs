using Jackdaw.Indexing.Processes;
using Jackdaw.Storage.Memory;
using Xunit;
using Index = Jackdaw.Indexing.Processes.Index;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>Random histories of documents that are put, put again, deleted and moved to another collection while indexes follow
/// them.</summary>
public class StalenessOracleTests
{
    private static readonly string[] s_collections = ["Users", "Orders", "Notes"];

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_fresh_answer_never_misses_a_change(bool ofSearchEngine)
    {
        for (int round = 0; round < 4; round++)
        {
            int seed = TestSeed.Next();
            if (await RunAsync(seed, PlantedIndexFault.None, operations: 600, ofSearchEngine) is { } wrong)
                Assert.Fail($"Seed {seed}: {wrong}");
        }
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task A_fresh_answer_never_misses_a_change_in_long_histories()
    {
        int seed = TestSeed.Next();
        if (await RunAsync(seed, PlantedIndexFault.None, operations: 20_000, ofSearchEngine: true) is { } wrong)
            Assert.Fail($"Seed {seed}: {wrong}");
    }

    /// <summary>The oracle is able to find what it is there for.</summary>
    [Theory]
    [InlineData((int)PlantedIndexFault.SkipDeletions)]
    [InlineData((int)PlantedIndexFault.ClaimEnd)]
    public async Task A_planted_mistake_is_found(int fault)
    {
        for (int seed = 1; seed <= 20; seed++)
        {
            if (await RunAsync(seed, (PlantedIndexFault)fault, operations: 400, ofSearchEngine: false) is not null)
                return;
        }
        Assert.Fail($"No history of 20 shows {(PlantedIndexFault)fault}.");
    }

    private static async Task<string?> RunAsync(int seed, PlantedIndexFault fault, int operations, bool ofSearchEngine)
    {
        var random = new Random(seed);
        // So little that a batch has one change now and then, and a turn many batches.
        var memory = new MemoryAllowance(random.Next(2) == 0 ? 64 << 10 : 16 << 20);
        var options = ofSearchEngine ? new IndexingOptions() : IndexedDatabase.Options();
        await using var db = await IndexedDatabase.OpenAsync(options with { Memory = memory, Planted = fault });
        Index[] indexes = [await db.EnsureAsync("Users", "v"), await db.EnsureAsync("Orders", "v"), await db.EnsureAsync(null, "v")];
        using var done = new CancellationTokenSource();
        var looking = Task.Run(() => LookAsync(db, indexes, done.Token));
        for (int i = 1; i <= operations && !looking.IsCompleted; i++)
            await ChangeAsync(db, random, i);
        foreach (var index in indexes)
        {
            if (!looking.IsCompleted && fault == PlantedIndexFault.None)
                await db.CatchUpAsync(index);
        }
        await done.CancelAsync();
        return await looking;
    }

    private static async Task ChangeAsync(IndexedDatabase db, Random random, int version)
    {
        string id = $"docs/{random.Next(25)}";
        if (random.Next(10) < 3)
        {
            await db.DeleteAsync(id);
            return;
        }
        // A document keeps its collection: it moves by being deleted.
        string collection = s_collections[random.Next(s_collections.Length)];
        string? former = CollectionOf(db, id);
        if (former is not null && former != collection)
        {
            if (random.Next(2) == 0)
                collection = former;
            else
                await db.DeleteAsync(id);
        }
        await db.PutAsync(id, collection, $"\"v\":{version}");
    }

    private static string? CollectionOf(IndexedDatabase db, string id)
    {
        using var reader = db.Database.OpenRead("test");
        return reader.TryGet(id, out var document) ? System.Text.Encoding.UTF8.GetString(document.Collection) : null;
    }

    /// <summary>Looks until it is cancelled or finds something; once more at the end.</summary>
    private static async Task<string?> LookAsync(IndexedDatabase db, Index[] indexes, CancellationToken done)
    {
        while (true)
        {
            bool isLast = done.IsCancellationRequested;
            foreach (var index in indexes)
            {
                if (StalenessOracle.Look(db, index) is { } wrong)
                    return wrong;
            }
            if (isLast)
                return null;
            await Task.Yield();
        }
    }
}
