using System.Globalization;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Maintenance;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Documents.Tests;

/// <summary>A database is cut off at random moments, nothing closed nor synced, and opened again on what its disk holds.</summary>
public sealed class ReopeningTests(ITestOutputHelper output)
{
    [Fact]
    public void A_database_that_is_cut_off_and_opened_again_has_what_was_durable_and_nothing_else()
    {
        int seed = Environment.GetEnvironmentVariable("JACKDAW_SEED") is { } given
            ? int.Parse(given, CultureInfo.InvariantCulture)
            : Environment.TickCount;
        output.WriteLine($"JACKDAW_SEED={seed}");
        var random = new Random(seed);
        using var disk = new FaultyDisk();
        string durable = "";
        var acknowledged = new Dictionary<string, long>();
        for (int life = 0; life < 30; life++)
        {
            using var database = new TestDatabase(disk: disk, ownsDisk: false);
            if (life > 0)
                Assert.Equal(durable, database.Dump());
            var pending = new List<(string Id, BatchOperation Operation, Task Task)>();
            int steps = random.Next(5, 60);
            for (int step = 0; step < steps; step++)
                RunOne(random, database, pending, acknowledged);
            durable = database.Dump();
            using var reader = database.Read();
            foreach (var (id, etag) in acknowledged)
            {
                bool exists = reader.TryGet(id, out var document);
                Assert.True(
                    etag == 0 ? !exists : exists && document.Etag >= etag,
                    $"seed {seed}, life {life}: {id} was acknowledged at {etag}"
                );
            }
            Assert.Empty(DocumentsCheck.Run(database.Storage));
        }
        Assert.NotEmpty(acknowledged);
    }

    private static void RunOne(
        Random random,
        TestDatabase database,
        List<(string Id, BatchOperation Operation, Task Task)> pending,
        Dictionary<string, long> acknowledged
    )
    {
        switch (random.Next(8))
        {
            case 0:
                database.Merger.RunStep();
                break;
            case 1:
                database.Storage.RunJournalStep();
                break;
            case 2:
                while (database.Storage.RunFlushStep(force: true)) { }
                if (random.Next(2) == 0)
                    database.Storage.RunSyncStep(force: true);
                break;
            case 3:
                database.Storage.RunSpareStep();
                break;
            default:
                // One write of an id at a time, so that what was acknowledged last is what must be there.
                string id = $"docs/{random.Next(50)}";
                if (pending.Exists(other => other.Id == id))
                    break;
                var operation =
                    random.Next(4) == 0
                        ? TestDatabase.Delete(id)
                        : TestDatabase.Put(id, $$"""{"text":"{{new string('x', random.Next(3000))}}"}""");
                pending.Add((id, operation, database.Merger.Submit(operation).AsTask()));
                break;
        }
        foreach (var (id, operation, task) in pending.FindAll(write => write.Task.IsCompletedSuccessfully))
            acknowledged[id] = operation.Commands[0] is PutCommand put ? put.Etag : 0;
        pending.RemoveAll(write => write.Task.IsCompletedSuccessfully);
    }
}
