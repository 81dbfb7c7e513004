using System.Text;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Storage;
using Xunit;

namespace Jackdaw.Documents.Tests;

public sealed class CopyTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-copy-").FullName;

    private string Target => Path.Combine(_folder, "copy");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private static DatabasesOptions Options(string folder, bool inMemory = false) =>
        new()
        {
            DataDir = folder,
            RunInMemory = inMemory,
            Storage = new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
        };

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_copy_made_while_others_write_is_a_data_folder_with_everything_acknowledged_before(bool inMemory)
    {
        await using var databases = Databases.Open(Options(Path.Combine(_folder, "data"), inMemory));
        var record = await databases.CreateAsync("Shop", "{\"Settings\":{\"a\":\"b\"}}"u8.ToArray());
        var database = databases.Get("Shop");
        for (int i = 0; i < 300; i++)
            await PutAsync(database, $"before/{i}");
        using var ended = new CancellationTokenSource();
        var writing = Task.Run(async () =>
        {
            int i = 0;
            for (; !ended.IsCancellationRequested; i++)
                await PutAsync(database, $"meanwhile/{i:D6}");
            return i;
        });
        long lastCopied = 0;
        long transaction = await databases.CopyAsync(
            "shop",
            Target,
            (copied, total) =>
            {
                Assert.InRange(copied, lastCopied, total);
                lastCopied = copied;
            },
            default
        );
        await ended.CancelAsync();
        int written = await writing;
        Assert.True(transaction > 0 && lastCopied > 0);
        await PutAsync(database, "after");

        var report = new StringWriter();
        Assert.True(DataFolderMaintenance.Check(Options(Target), report), report.ToString());
        await using var copies = Databases.Open(Options(Target));
        Assert.Empty(copies.StartFindings);
        var copy = copies.Record("shop")!;
        Assert.Equal(("Shop", false), (copy.Name, copy.Disabled));
        Assert.Equal("{\"Settings\":{\"a\":\"b\"}}", Encoding.UTF8.GetString(copy.Json.Span));
        using var reader = copies.Get("shop").OpenRead("test");
        for (int i = 0; i < 300; i++)
            Assert.True(reader.TryGet($"before/{i}", out _));
        // Of what was written meanwhile it has a beginning.
        int here = Enumerable.Range(0, written).TakeWhile(i => reader.TryGet($"meanwhile/{i:D6}", out _)).Count();
        Assert.Equal(300 + here, reader.DocumentCount);
        Assert.False(reader.TryGet("after", out _));
        // A database of its own: were the id the same, both would give one change vector to different documents.
        Assert.NotEqual(record.Id, copy.Id);
        Assert.Equal([new DatabaseAncestor(record.Id, 300 + here)], copies.Get("shop").Ancestors);
        Assert.Equal(300 + here, reader.LastEtag);
        await PutAsync(copies.Get("shop"), "new");
        using var after = copies.Get("shop").OpenRead("test");
        Assert.True(after.TryGet("new", out var added));
        Assert.EndsWith(copies.Get("shop").IdText, Encoding.ASCII.GetString(added.ChangeVector), StringComparison.Ordinal);
        Assert.True(after.TryGet("before/1", out var old));
        Assert.EndsWith(database.IdText, Encoding.ASCII.GetString(old.ChangeVector), StringComparison.Ordinal);
        // And of a copy, another one.
        string second = Target + "-2";
        await copies.CopyAsync("shop", second, (_, _) => { }, default);
        await using var grandchildren = Databases.Open(Options(second));
        Assert.Equal(
            [new DatabaseAncestor(copy.Id, 301 + here), new DatabaseAncestor(record.Id, 300 + here)],
            grandchildren.Get("shop").Ancestors
        );
    }

    [Fact]
    public async Task A_copy_in_the_place_of_its_original_is_the_database_from_then_on()
    {
        string data = Path.Combine(_folder, "data");
        await using (var databases = Databases.Open(Options(data)))
        {
            await databases.CreateAsync("Shop", default);
            await databases.CreateAsync("Other", default);
            await PutAsync(databases.Get("Shop"), "before");
            await databases.CopyAsync("Shop", Target, (_, _) => { }, default);
            await PutAsync(databases.Get("Shop"), "after");
        }
        Directory.Move(Path.Combine(data, "Databases", "shop"), Path.Combine(_folder, "away"));
        Directory.Move(Path.Combine(Target, "Databases", "shop"), Path.Combine(data, "Databases", "shop"));
        Guid id;
        await using (var databases = Databases.Open(Options(data)))
        {
            Assert.Contains("a copy of it", Assert.Single(databases.StartFindings), StringComparison.Ordinal);
            id = databases.Record("Shop")!.Id;
            var restored = databases.Get("Shop");
            Assert.Equal(id, restored.Id);
            using var reader = restored.OpenRead("test");
            Assert.True(reader.TryGet("before", out _));
            Assert.False(reader.TryGet("after", out _));
        }
        await using (var databases = Databases.Open(Options(data)))
        {
            Assert.Empty(databases.StartFindings);
            Assert.Equal(id, databases.Record("Shop")!.Id);
            await PutAsync(databases.Get("Shop"), "new");
        }
        // In the place of a database that it is no copy of it is refused, as ever.
        Directory.Move(Path.Combine(data, "Databases", "other"), Path.Combine(_folder, "away-2"));
        Directory.Move(Path.Combine(data, "Databases", "shop"), Path.Combine(data, "Databases", "other"));
        await using var swapped = Databases.Open(Options(data));
        Assert.Contains("another database", swapped.LoadFailure("Other")!.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_copy_is_refused_where_it_would_lie_on_something_and_changes_nothing()
    {
        string data = Path.Combine(_folder, "data");
        await using var databases = Databases.Open(Options(data));
        await databases.CreateAsync("db", default);
        Directory.CreateDirectory(Target);
        string file = Path.Combine(Target, "letter.txt");
        await File.WriteAllTextAsync(file, "dear");
        foreach (
            var (target, reason) in new[]
            {
                (Target, "exists already"),
                (file, "exists already"),
                ("copy", "absolute"),
                ("/", "root"),
                (Path.Combine(_folder, "no", "such"), "there is no folder"),
                (Path.Combine(data, "Databases", "new"), "own data folder"),
                (data, "own data folder"),
            }
        )
        {
            var refusal = await Assert.ThrowsAsync<CopyTargetException>(() => databases.CopyAsync("db", target, (_, _) => { }, default));
            Assert.Contains(reason, refusal.Message, StringComparison.Ordinal);
        }
        Assert.Equal("dear", await File.ReadAllTextAsync(file));
        Assert.Equal(["db"], Directory.GetDirectories(Path.Combine(data, "Databases")).Select(Path.GetFileName));
        await Assert.ThrowsAsync<DatabaseDoesNotExistException>(() => databases.CopyAsync("none", Target, (_, _) => { }, default));
    }

    [Fact]
    public async Task A_copy_that_is_cancelled_or_whose_database_is_deleted_leaves_no_folder_and_holds_up_nobody()
    {
        await using var databases = Databases.Open(Options(Path.Combine(_folder, "data")));
        await databases.CreateAsync("db", default);
        await PutAsync(databases.Get("db"), "a");
        using var cancellation = new CancellationTokenSource();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() =>
            databases.CopyAsync("db", Target, (_, _) => cancellation.Cancel(), cancellation.Token)
        );
        Assert.False(Directory.Exists(Target));

        using var begun = new SemaphoreSlim(0);
        using var goOn = new SemaphoreSlim(0);
        int steps = 0;
        var copying = databases.CopyAsync(
            "db",
            Target,
            (_, _) =>
            {
                if (steps++ > 0)
                    return;
                begun.Release();
                goOn.Wait();
            },
            default
        );
        await begun.WaitAsync();
        await Assert.ThrowsAsync<CopyTargetException>(() => databases.CopyAsync("db", Target, (_, _) => { }, default));
        var deleting = databases.DeleteAsync("db", hard: true);
        while (databases.Record("db") is not null)
            await Task.Delay(1);
        goOn.Release();
        await Assert.ThrowsAsync<DatabaseDoesNotExistException>(() => copying);
        Assert.True(await deleting.WaitAsync(Eventually.Patience));
        Assert.False(Directory.Exists(Target));
    }

    [Fact]
    public async Task A_copy_asked_for_before_another_to_its_folder_was_complete_does_not_take_that_one_away()
    {
        await using var databases = Databases.Open(Options(Path.Combine(_folder, "data")));
        await databases.CreateAsync("db", default);
        await PutAsync(databases.Get("db"), "a");
        // Both found the folder empty when they were asked for; the second's thread begins when the first has ended.
        await CopyAsync();
        var refusal = await Assert.ThrowsAsync<CopyTargetException>(CopyAsync);
        Assert.Contains("exists already", refusal.Message, StringComparison.Ordinal);
        await using var copies = Databases.Open(Options(Target));
        Assert.Equal(1, copies.Get("db").Statistics().DocumentCount);

        Task CopyAsync() =>
            Task.Factory.StartNew(
                () => databases.Copy(databases.Get("db"), Target, (_, _) => { }, default),
                default,
                TaskCreationOptions.LongRunning,
                TaskScheduler.Default
            );
    }

    private static async Task PutAsync(Database database, string id)
    {
        var batch = TestDatabase.Put(id, $$"""{"text":"{{new string('x', 700)}}"}""");
        await database.SubmitAsync(batch);
        batch.Return();
    }
}
