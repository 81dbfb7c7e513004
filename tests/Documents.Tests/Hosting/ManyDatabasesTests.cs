using Jackdaw.Documents.Errors;
using Jackdaw.Storage;
using Xunit;

namespace Jackdaw.Documents.Tests.Hosting;

/// <summary>A server with many databases: opened several at a time, whichever is asked for first, on a bounded number of threads.</summary>
[Trait("Category", "Slow")]
public sealed class ManyDatabasesTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-many-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private DatabasesOptions Options =>
        new()
        {
            DataDir = _folder,
            Storage = new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
        };

    private static async Task PutAsync(Database database, string id, string json = "{}")
    {
        var batch = TestDatabase.Put(id, json);
        await database.SubmitAsync(batch).AsTask().WaitAsync(Eventually.Patience);
        batch.Return();
    }

    private static bool Has(Database database, string id)
    {
        using var reader = database.OpenRead("test");
        return reader.TryGet(id, out _);
    }

    private static int StepThreadsOfProcess() =>
        Directory
            .GetDirectories("/proc/self/task")
            .Count(thread =>
            {
                try
                {
                    string name = File.ReadAllText(Path.Combine(thread, "comm"));
                    return name.StartsWith("merger ", StringComparison.Ordinal)
                        || name.StartsWith("journal ", StringComparison.Ordinal)
                        || name.StartsWith("flush ", StringComparison.Ordinal)
                        || name.StartsWith("opening", StringComparison.Ordinal);
                }
                catch (IOException)
                {
                    // It has ended.
                    return false;
                }
            });

    /// <summary>In memory, for their files are not what this is about. Before, there were three threads a database: 600.</summary>
    [Fact]
    public async Task Two_hundred_databases_that_are_written_to_need_few_threads()
    {
        int others = StepThreadsOfProcess();
        await using var databases = Databases.Open(Options with { RunInMemory = true });
        for (int i = 0; i < 200; i++)
            await databases.CreateAsync($"db{i}", "{}"u8.ToArray());
        int most = 0;
        for (int round = 0; round < 3; round++)
        {
            var writes = databases.List().Select(record => PutAsync(databases.Get(record.Name), $"docs/{round}")).ToArray();
            most = Math.Max(most, StepThreadsOfProcess());
            await Task.WhenAll(writes);
        }
        Assert.All(databases.List(), record => Assert.True(Has(databases.Get(record.Name), "docs/2")));
        // Other tests of this process open databases meanwhile, with 20 threads each at most.
        Assert.True(most - others < 100, $"{others} threads before, {most} with 200 databases");
    }

    [Fact]
    public async Task A_database_that_is_asked_for_is_opened_at_once_while_others_hang()
    {
        await using (var databases = Databases.Open(Options))
        {
            for (int i = 0; i < 40; i++)
            {
                await databases.CreateAsync($"db{i}", "{}"u8.ToArray());
                await PutAsync(databases.Get($"db{i}"), "a");
            }
        }
        using var mayOpen = new ManualResetEventSlim();
        var folder = new FaultyDataFolder(_folder)
        {
            Opened = (path, disk) =>
            {
                // Everything but the one that is asked for, and the catalogue.
                if (!path.EndsWith("/db39", StringComparison.Ordinal) && path != "System")
                    disk.BeforeOpen = _ => mayOpen.Wait(Eventually.Patience);
            },
        };
        await using (var databases = Databases.Open(Options with { Folder = folder, OpensInBackground = true }))
        {
            Assert.False(databases.IsOpenOrCannotBe("db39"));
            await databases.OpenAsync("db39").WaitAsync(Eventually.Patience);
            Assert.True(databases.IsOpenOrCannotBe("db39"));
            Assert.True(Has(databases.Get("db39"), "a"));
            await PutAsync(databases.Get("db39"), "b");
            Assert.Null(databases.TryGetOpen("db0"));
            Assert.False(databases.AllOpened.IsCompleted);
            Assert.True(databases.ToOpen > 0);
            mayOpen.Set();
            await databases.AllOpened.WaitAsync(Eventually.Patience);
            Assert.Equal(0, databases.ToOpen);
            Assert.All(databases.List(), record => Assert.True(Has(databases.TryGetOpen(record.Name)!, "a")));
        }
    }

    [Fact]
    public async Task Damaged_databases_among_many_are_told_at_start_and_leave_the_others_alone()
    {
        await using (var databases = Databases.Open(Options))
        {
            for (int i = 0; i < 24; i++)
            {
                await databases.CreateAsync($"db{i}", "{}"u8.ToArray());
                await PutAsync(databases.Get($"db{i}"), "a");
            }
            await databases.SetDisabledAsync("db5", disabled: true);
        }
        for (int i = 3; i < 24; i += 7)
        {
            foreach (string header in Directory.GetFiles(Path.Combine(_folder, "Databases", $"db{i}"), "header*"))
                File.WriteAllBytes(header, new byte[4096]);
        }
        // One whose opening ends in something that nobody foresaw.
        var folder = new FaultyDataFolder(_folder)
        {
            Opened = (path, disk) =>
            {
                if (path.EndsWith("/db8", StringComparison.Ordinal))
                    disk.BeforeOpen = _ => throw new TimeZoneNotFoundException("Planted.");
            },
        };
        await using (var databases = Databases.Open(Options with { Folder = folder, OpensInBackground = true }))
        {
            await databases.AllOpened.WaitAsync(Eventually.Patience);
            Assert.Equal(4, databases.StartFindings.Count);
            for (int i = 0; i < 24; i++)
            {
                string name = $"db{i}";
                if (i == 5)
                    Assert.Throws<DatabaseDisabledException>(() => databases.Get(name));
                else if (i % 7 == 3 || i == 8)
                    Assert.Throws<DatabaseLoadException>(() => databases.Get(name));
                else
                    await PutAsync(databases.Get(name), "b");
                Assert.Equal(i % 7 == 3 || i == 8, databases.LoadFailure(name) is not null);
            }
            // What cannot be opened can be deleted, and what is disabled can be enabled.
            Assert.True(await databases.DeleteAsync("db10", hard: true));
            Assert.True(await databases.SetDisabledAsync("db5", disabled: false));
            Assert.True(Has(databases.Get("db5"), "a"));
        }
    }

    [Fact]
    public async Task Databases_are_disabled_deleted_and_asked_for_while_they_are_opened()
    {
        await using (var databases = Databases.Open(Options))
        {
            for (int i = 0; i < 24; i++)
                await databases.CreateAsync($"db{i}", "{}"u8.ToArray());
        }
        await using (var databases = Databases.Open(Options with { OpensInBackground = true }))
        {
            await Task.WhenAll(
                Enumerable
                    .Range(0, 24)
                    .Select(i =>
                        Task.Run(async () =>
                        {
                            string name = $"db{i}";
                            switch (i % 4)
                            {
                                case 0:
                                    Assert.True(await databases.DeleteAsync(name, hard: true));
                                    break;
                                case 1:
                                    Assert.True(await databases.SetDisabledAsync(name, disabled: true));
                                    break;
                                case 2:
                                    await databases.OpenAsync(name);
                                    await PutAsync(databases.Get(name), "a");
                                    break;
                                default:
                                    await PutAsync(databases.Get(name), "a");
                                    break;
                            }
                        })
                    )
            );
            await databases.AllOpened.WaitAsync(Eventually.Patience);
            Assert.Empty(databases.StartFindings);
            for (int i = 0; i < 24; i++)
            {
                string name = $"db{i}";
                if (i % 4 == 0)
                    Assert.Throws<DatabaseDoesNotExistException>(() => databases.Get(name));
                else if (i % 4 == 1)
                    Assert.Throws<DatabaseDisabledException>(() => databases.Get(name));
                else
                    Assert.True(Has(databases.Get(name), "a"));
            }
        }
    }

    [Fact]
    public async Task Of_two_deletions_at_once_one_does_it_and_both_end_well()
    {
        await using var databases = Databases.Open(Options);
        await databases.CreateAsync("db", "{}"u8.ToArray());
        var reader = databases.Get("db").OpenRead("holds it up");
        var first = databases.DeleteAsync("db", hard: true);
        var second = databases.DeleteAsync("db", hard: true);
        reader.Dispose();
        bool[] did = await Task.WhenAll(first, second).WaitAsync(Eventually.Patience);
        Assert.Equal(1, did.Count(one => one));
    }
}
