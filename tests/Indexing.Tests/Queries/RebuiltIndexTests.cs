using Jackdaw.Indexing.Processes;
using Jackdaw.Indexing.Queries;
using Jackdaw.Indexing.Running;
using Jackdaw.Indexing.Tests.Processes;
using Xunit;

namespace Jackdaw.Indexing.Tests.Queries;

/// <summary>Long answers, and indexes that are built again meanwhile.</summary>
public class RebuiltIndexTests
{
    [Fact]
    public async Task An_answer_does_not_go_on_with_an_index_that_was_reset_since_it_began()
    {
        await using var db = await IndexedDatabase.OpenAsync(new IndexingOptions { Threads = 3 });
        for (int i = 0; i < 3; i++)
            await db.PutAsync($"users/{i}", "Users", "\"name\":\"Ada\"");
        var plan = QueryPlanner.Plan("from Users where name = 'ada'", RqlParameters.None);
        var index = (await IndexChoice.MakeAsync(db.Database, plan, CancellationToken.None)).Index!;
        await db.CatchUpAsync(index);
        using var reading = new QueryReading(plan, scripts: null, CancellationToken.None);
        using (var moment = await QueryMoment.OpenAsync(db.Database, index, "test", CancellationToken.None))
        {
            Assert.True(reading.Begin(moment));
            Assert.True(reading.MoveNext(out _));
            reading.End();
        }

        await db.Indexes.ResetAsync(index.Name);
        await db.CatchUpAsync(index);

        using var next = await QueryMoment.OpenAsync(db.Database, index, "test", CancellationToken.None);
        var refusal = Assert.Throws<IndexUnavailableException>(() => reading.Begin(next));
        Assert.Contains("built again", refusal.Message, StringComparison.Ordinal);
    }
}
