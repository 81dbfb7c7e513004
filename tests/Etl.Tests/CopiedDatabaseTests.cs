using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Etl.Running;
using Jackdaw.Scripting;
using Jackdaw.Storage;
using Xunit;

namespace Jackdaw.Etl.Tests;

public sealed class CopiedDatabaseTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-etl-copy-").FullName;

    private DatabasesOptions Options(string name) =>
        new()
        {
            DataDir = Path.Combine(_folder, name),
            Storage = new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
        };

    [Fact]
    public async Task A_copy_goes_on_where_the_original_was_and_its_messages_have_ids_of_their_own()
    {
        using var engine = new ScriptEngine();
        var sent = new List<Received>();
        await using var originals = Databases.Open(Options("data"));
        await originals.CreateAsync("shop", "{}"u8.ToArray());
        await PutAsync(originals, 1);
        await PutAsync(originals, 2);
        await RunAsync(originals, engine, sent);
        await PutAsync(originals, 3);
        await originals.CopyAsync("shop", Path.Combine(_folder, "copy"), (_, _) => { }, default);
        await PutAsync(originals, 4);
        await RunAsync(originals, engine, sent);
        Assert.Equal(["orders/1", "orders/2", "orders/3", "orders/4"], sent.Select(message => message.Message.Event.Subject));

        await using var copies = Databases.Open(Options("copy"));
        await PutAsync(copies, 5);
        var again = new List<Received>();
        await RunAsync(copies, engine, again);
        Assert.Equal(["orders/3", "orders/5"], again.Select(message => message.Message.Event.Subject));
        // What both have in common is one message; what has one etag in both is not.
        Assert.Equal(sent[2].Id, again[0].Id);
        Assert.Equal(sent[3].Message.Origin.Etag, again[1].Message.Origin.Etag);
        Assert.NotEqual(sent[3].Id, again[1].Id);
    }

    private static async Task PutAsync(Databases databases, int n)
    {
        var database = databases.Get("shop");
        var batch = BatchOperation.Rent();
        var put = batch.AddPut();
        put.SetId($"orders/{n}");
        put.SetDocument(Encoding.UTF8.GetBytes($$$"""{"n":{{{n}}},"@metadata":{"@collection":"Orders"}}"""), database.Limits);
        await database.SubmitAsync(batch);
        batch.Return();
    }

    private static async Task RunAsync(Databases databases, ScriptEngine engine, List<Received> ledger)
    {
        await using var task = new EtlTask(
            Scene.Configuration(Scene.Transform("loadToA({ n: this.n });")),
            databases.Get("shop"),
            engine,
            new RecordingSink(ledger),
            new EtlOptions()
        );
        for (int i = 0; i < 100 && task.RunStep() != Timeout.InfiniteTimeSpan; i++) { }
        Assert.Equal(EtlTaskState.Idle, task.State);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);
}
