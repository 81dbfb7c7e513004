using Jackdaw.Documents;
using Jackdaw.Documents.Patching;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;
using Jackdaw.Indexing.Queries;
using Jackdaw.Scripting;
using Jackdaw.Server.Endpoints.Operations;
using Jackdaw.Server.Endpoints.Queries;
using Jackdaw.Server.Tests.Serving;
using Index = Jackdaw.Indexing.Processes.Index;

namespace Jackdaw.Server.Tests.Endpoints.Queries;

/// <summary>Patches and deletions by query whose index goes while they wait for it, or while they read it.</summary>
public sealed class DeletedIndexOperationTests : IAsyncLifetime
{
    private const string Query = "from Users where name = 'ann'";

    /// <summary>Several transactions of an operation.</summary>
    private const int Users = (2 * Limits.DocumentsPerQueryTransaction) + 500;

    private readonly ScriptEngine _scripts = new();
    private ServerScene _scene = null!;

    public async Task InitializeAsync()
    {
        _scene = await ServerScene.OpenAsync(
            Limits.Default with
            {
                MaxPatchTime = TimeSpan.FromSeconds(60),
            },
            indexing: options => options with { MergeDelay = TimeSpan.Zero }
        );
        await _scene.PutAsync(
            Enumerable.Range(0, Users).Select(i => ($"users/{i}", """{"name":"Ann","@metadata":{"@collection":"Users"}}"""))
        );
    }

    public async Task DisposeAsync()
    {
        await _scene.DisposeAsync();
        _scripts.Dispose();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_operation_makes_another_index_when_its_own_is_deleted_while_it_waits(bool patches)
    {
        var index = await EnsureAsync("name");
        await _scene.PauseIndexesAsync();
        await _scene.PutAsync([("users/last", """{"name":"Ann","@metadata":{"@collection":"Users"}}""")]);
        using var operation = Operation();
        // It stands in the list of those who wait when the call comes back.
        var running = Begin(Query, patches, operation);
        Assert.False(running.IsCompleted);

        await _scene.Indexes.DeleteAsync(index.Name);
        _scene.Indexes.Resume();

        await running.WaitAsync(Eventually.Patience);
        Assert.Equal(Users + 1, operation.State.Progress.DocumentsProcessed);
    }

    [Fact]
    public async Task An_operation_goes_on_over_the_index_that_took_the_place_of_its_own_while_it_waited()
    {
        var index = await EnsureAsync("name");
        await _scene.PauseIndexesAsync(index.Name);
        await _scene.PutAsync([("users/last", """{"name":"Ann","@metadata":{"@collection":"Users"}}""")]);
        using var operation = Operation();
        var running = Begin(Query, patches: false, operation);
        Assert.False(running.IsCompleted);

        // The new one alone catches up.
        await EnsureAsync("name", "age");

        await running.WaitAsync(Eventually.Patience);
        Assert.Equal(Users + 1, operation.State.Progress.DocumentsProcessed);
        Assert.DoesNotContain(index, _scene.Indexes.All);
    }

    [Fact]
    public async Task An_operation_that_names_its_index_ends_with_an_error_when_that_is_deleted_while_it_waits()
    {
        var index = await EnsureAsync("name");
        await _scene.PauseIndexesAsync();
        await _scene.PutAsync([("users/last", """{"name":"Ann","@metadata":{"@collection":"Users"}}""")]);
        using var operation = Operation();
        var running = Begin($"from index '{index.Name}' where name = 'ann'", patches: false, operation);
        Assert.False(running.IsCompleted);

        await _scene.Indexes.DeleteAsync(index.Name);

        await Assert.ThrowsAsync<IndexDoesNotExistException>(() => running.WaitAsync(Eventually.Patience));
        Assert.Equal(0, operation.State.Progress.DocumentsProcessed);
    }

    /// <summary>The first report comes inside the first moment, the second one after the first transaction.</summary>
    [Theory]
    [InlineData(1, false)]
    [InlineData(1, true)]
    [InlineData(2, false)]
    [InlineData(2, true)]
    public async Task An_operation_that_has_begun_goes_on_over_an_index_that_is_deleted(int report, bool patches)
    {
        var index = await EnsureAsync("name");
        int reports = 0;
        using var operation = Operation(() =>
        {
            if (++reports == report)
                Assert.True(_scene.Indexes.DeleteAsync(index.Name).Wait(Eventually.Patience));
        });

        await Begin(Query, patches, operation).WaitAsync(Eventually.Patience);

        Assert.Equal(Users, operation.State.Progress.DocumentsProcessed);
        Assert.Empty(_scene.Indexes.All);
        // What it has kept goes with it.
        await Eventually.IsAsync(() => _scene.Database.EnvironmentFolders("Indexes").Count == 0);
    }

    private Task Begin(string query, bool patches, TrackedOperation operation)
    {
        var update = QueryPlanner.PlanUpdate(query + " update { this.n = (this.n || 0) + 1 }", RqlParameters.None);
        var patch = patches ? Patch.Compile(_scripts, update.Script, default, _scene.Database.Limits, update.Alias) : null;
        var stale = new StaleAnswers(AreAllowed: false, Eventually.Patience);
        return new QueryOperation(_scene.Database, update.Documents, query, patch, operation, null, stale).RunAsync(CancellationToken.None);
    }

    private TrackedOperation Operation(Action? changed = null) =>
        new(1, _scene.Database.Id, new QueryProgress(Query, 0, 0), _ => changed?.Invoke());

    /// <summary>An index that has seen everything.</summary>
    private async Task<Index> EnsureAsync(params string[] paths)
    {
        var wanted = new AutoIndexDefinition("Users", [.. paths.Order(StringComparer.Ordinal).Select(path => new AutoIndexField(path))]);
        var index = await _scene.Indexes.EnsureAutomaticAsync(wanted, CancellationToken.None);
        Assert.True(await index.WaitForAsync(_scene.Database.LastDurableEtag, Eventually.Patience, CancellationToken.None));
        return index;
    }
}
