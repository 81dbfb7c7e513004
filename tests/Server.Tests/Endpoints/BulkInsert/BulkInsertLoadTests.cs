using System.IO.Pipelines;
using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Server.Endpoints.BulkInsert;
using Jackdaw.Server.Endpoints.Operations;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Tests.Endpoints.BulkInsert;

public sealed class BulkInsertLoadTests : IAsyncLifetime
{
    private const int DocumentCount = 1000;

    /// <summary>Stands still: other writers stay recent however long the load takes.</summary>
    private readonly ManualClock _clock = new();
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-bulk-").FullName;
    private Databases _databases = null!;
    private Database _database = null!;

    public async Task InitializeAsync()
    {
        _databases = Databases.Open(
            new DatabasesOptions
            {
                DataDir = _folder,
                RunInMemory = true,
                Clock = _clock,
            }
        );
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

    [Fact]
    public async Task A_load_goes_in_whole_parts_again_when_the_other_writers_have_been_quiet_for_a_second()
    {
        await WriteAsync();
        _clock.Advance(TimeSpan.FromSeconds(1) + TimeSpan.FromTicks(1));
        var progress = await LoadAsync();
        Assert.Equal(Body().Length / Limits.BulkInsertOperationBytes + 1, progress.BatchCount);
    }

    [Fact]
    public async Task What_is_under_way_is_counted_in_a_silence_though_nothing_waits_to_be_submitted()
    {
        using var operation = new TrackedOperation(1, _database.Id, BulkInsertProgress.None);
        await using var load = new BulkInsertLoad(_database, operation);
        // By itself large enough to go at once.
        var document = $$$"""[{"Id":"load/1","Type":"PUT","Document":{"Text":"{{{new string('x', Limits.BulkInsertOperationBytes)}}}"}}""";
        await load.FeedAsync(Encoding.UTF8.GetBytes(document), CancellationToken.None);
        Assert.False(load.IsIdle);
        var body = new Pipe();
        var reading = BulkInsertEndpoints.ReadAsync(body.Reader, load, CancellationToken.None).AsTask();
        await Eventually.IsAsync(() => operation.State.Progress.DocumentsProcessed > 0);
        Assert.Equal(1, operation.State.Progress.DocumentsProcessed);
        Assert.False(reading.IsCompleted);
        await body.Writer.WriteAsync("]"u8.ToArray());
        Assert.Equal(1, (await reading).Buffer.Length);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_error_in_a_silence_leaves_no_read_of_the_body_in_flight(bool isStream)
    {
        using var operation = new TrackedOperation(1, _database.Id, BulkInsertProgress.None);
        await using var load = new BulkInsertLoad(_database, operation);
        await load.FeedAsync("""[{"Id":"load/1","Type":"PUT"}"""u8.ToArray(), CancellationToken.None);
        var body = new Pipe();
        var reader = isStream ? PipeReader.Create(body.Reader.AsStream()) : body.Reader;
        var refusal = await Assert.ThrowsAsync<BadRequestException>(async () =>
            await BulkInsertEndpoints.ReadAsync(reader, load, CancellationToken.None)
        );
        Assert.Contains("Document", refusal.Message, StringComparison.Ordinal);
        // Two reads at once are an error of the reader's.
        var next = reader.ReadAsync();
        await body.Writer.WriteAsync("]"u8.ToArray());
        Assert.Equal(1, (await next).Buffer.Length);
    }

    private async Task<BulkInsertProgress> LoadAsync()
    {
        using var operation = new TrackedOperation(1, _database.Id, BulkInsertProgress.None);
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
        var commands = Enumerable
            .Range(0, DocumentCount)
            .Select(i => $$$"""{"Id":"load/{{{i}}}","Type":"PUT","Document":{"Text":"{{{new string('x', 1000)}}}"}}""");
        return Encoding.UTF8.GetBytes($"[{string.Join(',', commands)}]");
    }
}
