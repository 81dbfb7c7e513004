using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Patching;
using Jackdaw.Indexing.Queries;
using Jackdaw.Scripting;
using Jackdaw.Server.Endpoints.Operations;
using Jackdaw.Server.Endpoints.Queries;

namespace Jackdaw.Server.Tests.Endpoints.Queries;

public sealed class QueryOperationTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-query-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_operation_by_query_does_not_make_a_bulk_load_hold_back(bool patches)
    {
        var clock = new ManualClock();
        await using var databases = Databases.Open(
            new DatabasesOptions
            {
                DataDir = _folder,
                RunInMemory = true,
                Clock = clock,
                Limits = Limits.Default with { MaxPatchTime = TimeSpan.FromSeconds(60) },
            }
        );
        await databases.CreateAsync("load", default);
        var database = databases.Get("load");
        await PutAsync(database, isBackground: true);
        Assert.False(database.HasRecentForegroundWrites);

        const string Query = "from @all_docs";
        var update = QueryPlanner.PlanUpdate(Query + " update { this.n = 1 }", RqlParameters.None);
        using var scripts = new ScriptEngine();
        var patch = patches ? Patch.Compile(scripts, update.Script, default, database.Limits, update.Alias) : null;
        using var operation = new TrackedOperation(1, database.Id, new QueryProgress(Query, 0, 0));
        await new QueryOperation(database, update.Documents, Query, patch, operation, null).RunAsync(CancellationToken.None);
        Assert.Equal(1, operation.State.Progress.DocumentsProcessed);
        Assert.False(database.HasRecentForegroundWrites);

        await PutAsync(database, isBackground: false);
        Assert.True(database.HasRecentForegroundWrites);
        clock.Advance(TimeSpan.FromSeconds(1));
        Assert.True(database.HasRecentForegroundWrites);
        clock.Advance(TimeSpan.FromTicks(1));
        Assert.False(database.HasRecentForegroundWrites);
    }

    private static async Task PutAsync(Database database, bool isBackground)
    {
        var batch = BatchOperation.Rent();
        batch.IsBackground = isBackground;
        var put = batch.AddPut();
        put.SetId("users/1");
        put.SetDocument("{}"u8.ToArray(), Limits.Default);
        await database.SubmitAsync(batch);
        batch.Return();
    }
}
