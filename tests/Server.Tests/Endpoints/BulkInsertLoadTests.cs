using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Server.Endpoints;
using Jackdaw.Server.Operations;

namespace Jackdaw.Server.Tests.Endpoints;

public sealed class BulkInsertLoadTests : IAsyncLifetime
{
    private const int DocumentCount = 1000;

    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-bulk-").FullName;
    private Databases _databases = null!;
    private Database _database = null!;

    public async Task InitializeAsync()
    {
        _databases = Databases.Open(new DatabasesOptions { DataDir = _folder, RunInMemory = true });
        await _databases.CreateAsync("load", default);
        _database = _databases.Get("load");
    }

    public async Task DisposeAsync()
    {
        await _databases.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task A_load_by_itself_goes_in_whole_parts()
    {
        var progress = await LoadAsync();
        Assert.Equal(Body().Length / Limits.BulkInsertOperationBytes + 1, progress.BatchCount);
    }

    [Fact]
    public async Task A_load_beside_other_writers_goes_in_small_parts_and_loses_nothing()
    {
        await WriteAsync();
        var progress = await LoadAsync();
        Assert.True(progress.BatchCount > Body().Length / Limits.BulkInsertOperationBytes + 1, $"{progress.BatchCount} parts");
    }

    private async Task<BulkInsertProgress> LoadAsync()
    {
        using var operation = new TrackedOperation(1, _database.Id);
        await using var load = new BulkInsertLoad(_database, operation);
        await load.FeedAsync(Body(), CancellationToken.None);
        await load.FinishAsync(CancellationToken.None);
        Assert.Equal(DocumentCount, operation.State.Progress.DocumentsProcessed);
        using var reader = _database.OpenRead("test");
        for (int i = 0; i < DocumentCount; i++)
            Assert.True(reader.TryGet($"load/{i}", out _), $"load/{i}");
        return (BulkInsertProgress)operation.State.Progress;
    }

    private async Task WriteAsync()
    {
        var batch = BatchOperation.Rent();
        var put = batch.AddPut();
        put.SetId("other/1");
        put.SetDocument("{}"u8.ToArray(), Limits.Default);
        await _database.SubmitAsync(batch);
        batch.Return();
    }

    private static byte[] Body()
    {
        var commands = Enumerable.Range(0, DocumentCount)
            .Select(i => $$$"""{"Id":"load/{{{i}}}","Type":"PUT","Document":{"Text":"{{{new string('x', 1000)}}}"}}""");
        return Encoding.UTF8.GetBytes($"[{string.Join(',', commands)}]");
    }
}
