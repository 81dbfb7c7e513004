using Jackdaw.Documents;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Processes;
using Jackdaw.Indexing.Queries;
using Jackdaw.Indexing.Running;
using Jackdaw.Indexing.Tests.Processes;
using Xunit;
using Index = Jackdaw.Indexing.Processes.Index;

namespace Jackdaw.Indexing.Tests.Queries;

/// <summary>Answers of several moments whose index is replaced, built again or rolled back between two of them.</summary>
public class KeptIndexTests
{
    private const int Users = 600;

    private static readonly QueryPlan s_plan = QueryPlanner.Plan("from Users where name = 'ada'", RqlParameters.None);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_answer_goes_on_over_the_index_that_it_began_with_without_gap_or_repetition(bool isReset)
    {
        await using var db = await OpenAsync();
        var index = await ChooseAsync(db);
        var ids = new List<string>();
        using var reading = new QueryReading(s_plan, scripts: null, CancellationToken.None);
        using (var moments = new QueryMoments(db.Database))
        {
            while (ids.Count < Users / 3)
                await ReadAsync(moments, index, reading, ids, Users / 3);
            if (isReset)
                await db.Indexes.ResetAsync(index.Name);
            else
                await db.EnsureAsync("Users", "age");
            await Eventually.IsAsync(() => db.Indexes.All.Count == 1 && !db.Indexes.All[0].IsReplacement);
            await db.CatchUpAsync(db.Indexes.All[0]);
            // A slow machine may need several moments.
            while (!reading.IsAtEnd)
                await ReadAsync(moments, index, reading, ids, int.MaxValue);
        }

        Assert.Equal(Enumerable.Range(0, Users).Select(i => $"users/{i:000}"), ids.Order(StringComparer.Ordinal));
        // What it has kept goes with it.
        await Eventually.IsAsync(() => db.Database.EnvironmentFolders("Indexes").Count == 1);
    }

    /// <summary>Its folder begins to close while the first moment still reads it.</summary>
    [Theory]
    [InlineData("replaced")]
    [InlineData("reset")]
    [InlineData("deleted")]
    public async Task An_answer_keeps_an_index_that_goes_while_its_first_moment_is_open(string change)
    {
        await using var db = await OpenAsync();
        var index = await ChooseAsync(db);
        var ids = new List<string>();
        using var reading = new QueryReading(s_plan, scripts: null, CancellationToken.None);
        using (var moments = new QueryMoments(db.Database))
        {
            using (var moment = await moments.OpenAsync(index, "test", CancellationToken.None))
            {
                Assert.True(reading.Begin(moment));
                Assert.True(reading.MoveNext(out var document));
                ids.Add(IdOf(document));
                reading.End();
                var environment = ((IndexFolder)moment.Index!.Entries.Folder).Environment;
                if (change == "replaced")
                    await db.EnsureAsync("Users", "age");
                else if (change == "reset")
                    await db.Indexes.ResetAsync(index.Name);
                else
                    await db.Indexes.DeleteAsync(index.Name);
                await Eventually.IsAsync(() => IsClosing(environment));
                moments.Keep(moment);
            }
            while (!reading.IsAtEnd)
                await ReadAsync(moments, index, reading, ids, int.MaxValue);
        }

        Assert.Equal(Enumerable.Range(0, Users).Select(i => $"users/{i:000}"), ids.Order(StringComparer.Ordinal));
        // What it has kept goes with it.
        await Eventually.IsAsync(() => db.Database.EnvironmentFolders("Indexes").Count == db.Indexes.All.Count);
    }

    [Fact]
    public async Task A_database_that_closes_does_not_wait_for_an_answer_that_keeps_a_former_index()
    {
        var db = await IndexedDatabase.OpenAsync(new IndexingOptions { Threads = 3 });
        await db.PutAsync("users/1", "Users", "\"name\":\"Ada\"");
        await db.PutAsync("users/2", "Users", "\"name\":\"Ada\"");
        var index = await ChooseAsync(db);
        using var reading = new QueryReading(s_plan, scripts: null, CancellationToken.None);
        using var moments = new QueryMoments(db.Database);
        await ReadAsync(moments, index, reading, [], 1);
        await db.EnsureAsync("Users", "age");
        await Eventually.IsAsync(() => db.Indexes.All.Count == 1);

        await db.DisposeAsync().AsTask().WaitAsync(Eventually.Patience);
    }

    [Fact]
    public async Task An_answer_shows_no_document_under_an_entry_that_was_taken_back_and_handed_out_again()
    {
        using var folder = new CrashableFolder();
        await using var db = await IndexedDatabase.OpenAsync(
            new IndexingOptions { Threads = 3 },
            folder.Path,
            o => o with { Folder = folder.Open(), Storage = o.Storage with { LazyJournalInterval = TimeSpan.FromMilliseconds(50) } }
        );
        await db.PutAsync("users/1", "Users", "\"name\":\"Ada\"");
        var index = await ChooseAsync(db);
        Assert.True(await index.MakeDurableAsync());
        long durable = db.Database.LastDurableEtag;
        var disk = folder.DiskOf(index.InstanceId);
        disk.JournalFails = true;
        await db.PutAsync("users/2", "Users", "\"name\":\"Ada\"");
        await db.CatchUpAsync(index);
        var ids = new List<string>();
        using var reading = new QueryReading(s_plan, scripts: null, CancellationToken.None);
        using var moments = new QueryMoments(db.Database);
        while (ids.Count < 1)
            await ReadAsync(moments, index, reading, ids, 1);

        // The entry of users/2 is taken back, and its id goes to a document that the query does not ask for.
        db.Indexes.Pause();
        await Eventually.IsAsync(() => Position(index) == durable);
        await db.DeleteAsync("users/2");
        await db.PutAsync("users/3", "Users", "\"name\":\"Bob\"");
        disk.JournalFails = false;
        db.Indexes.Resume();
        await db.CatchUpAsync(index);

        var refusal = await Assert.ThrowsAsync<IndexUnavailableException>(() => ReadAsync(moments, index, reading, ids, 10));
        Assert.Contains("taken back", refusal.Message, StringComparison.Ordinal);
        Assert.Equal(["users/1"], ids);
    }

    /// <summary>One moment, up to so many ids.</summary>
    private static async Task ReadAsync(QueryMoments moments, Index index, QueryReading reading, List<string> ids, int upTo)
    {
        using var moment = await moments.OpenAsync(index, "test", CancellationToken.None);
        try
        {
            if (!reading.Begin(moment))
                return;
            while (ids.Count < upTo && reading.MoveNext(out var document))
                ids.Add(IdOf(document));
            moments.Keep(moment);
        }
        finally
        {
            reading.End();
        }
    }

    private static string IdOf(in Document document) => System.Text.Encoding.UTF8.GetString(document.Id);

    private static bool IsClosing(DatabaseEnvironment environment)
    {
        if (!environment.TryUse())
            return true;
        environment.EndUse();
        return false;
    }

    private static long Position(Index index)
    {
        using var reading = index.OpenRead("test");
        return reading.Position;
    }

    private static async Task<Index> ChooseAsync(IndexedDatabase db)
    {
        var index = (await IndexChoice.MakeAsync(db.Database, s_plan, CancellationToken.None)).Index!;
        await db.CatchUpAsync(index);
        return index;
    }

    private static async Task<IndexedDatabase> OpenAsync()
    {
        var db = await IndexedDatabase.OpenAsync(new IndexingOptions { Threads = 3 });
        for (int i = 0; i < Users; i++)
            await db.PutAsync($"users/{i:000}", "Users", "\"name\":\"Ada\"");
        return db;
    }
}
