using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Etl.Orders;
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

    [Fact]
    public async Task A_copy_opens_with_its_tasks_paused_until_an_operator_starts_them()
    {
        await using var endpoint = new WebhookEndpoint((_, _) => Task.CompletedTask);
        long id;
        await using (var originals = Databases.Open(Options("data")))
        {
            await originals.CreateAsync("shop", "{}"u8.ToArray());
            await using var tasks = Open(originals);
            await tasks.PutConnectionAsync(EtlTasksTests.Connection(endpoint.Url));
            id = await tasks.PutTaskAsync(EtlTasksTests.Definition(), null);
            await PutAsync(originals, 1);
            await EtlTasksTests.UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 1 });
            await originals.CopyAsync("shop", Path.Combine(_folder, "copy"), (_, _) => { }, default);
        }
        string fork;
        await using (var copies = Databases.Open(Options("copy")))
        {
            await PutAsync(copies, 2);
            fork = copies.Get("shop").Ancestors[0].ForkEtag.ToString(System.Globalization.CultureInfo.InvariantCulture);
            await using var tasks = Open(copies);
            var status = tasks.Find(id)!.Status;
            Assert.Equal(EtlTaskState.Paused, status.State);
            Assert.Contains("is a copy", status.Reason, StringComparison.Ordinal);
            Assert.Contains($"etag {fork}", status.Reason, StringComparison.Ordinal);
            // Whatever is changed about it meanwhile.
            await tasks.PutConnectionAsync(EtlTasksTests.Connection(endpoint.Url));
            await tasks.PutTaskAsync(EtlTasksTests.Definition("loadToOut({});"), id);
            Assert.Equal(EtlTaskState.Paused, tasks.Find(id)!.Status.State);
            // One that is made in the copy is the copy's own.
            long own = await tasks.PutTaskAsync(
                System.Text.Encoding.UTF8.GetBytes(
                    System.Text.Encoding.UTF8.GetString(EtlTasksTests.Definition()).Replace("Out", "Own", StringComparison.Ordinal)
                ),
                null
            );
            await EtlTasksTests.UntilAsync(() => tasks.Find(own)!.Status is { State: EtlTaskState.Idle, Messages: 2 });
            await tasks.RemoveTaskAsync(own);
        }
        Assert.Equal(3, endpoint.Requests.Count);
        await using (var copies = Databases.Open(Options("copy")))
        {
            await using var tasks = Open(copies);
            Assert.Equal(EtlTaskState.Paused, tasks.Find(id)!.Status.State);
            Assert.True(await tasks.ResumeAsync(id));
            await EtlTasksTests.UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 1 });
        }
        // The decision is kept, and is one about this copy: a copy of the copy is paused again.
        await using (var copies = Databases.Open(Options("copy")))
        {
            await using (var tasks = Open(copies))
                await EtlTasksTests.UntilAsync(() => tasks.Find(id)!.Status.State == EtlTaskState.Idle);
            await copies.CopyAsync("shop", Path.Combine(_folder, "second"), (_, _) => { }, default);
        }
        await using (var second = Databases.Open(Options("second")))
        {
            await using var tasks = Open(second);
            Assert.Equal(EtlTaskState.Paused, tasks.Find(id)!.Status.State);
        }
    }

    private static EtlTasks Open(Databases databases) => EtlTasks.Open(databases.Get("shop"), EtlTasksTests.s_engine, new EtlOptions());

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
        await new OrderStore(databases.Get("shop"), 7).ResumeAsync(takesOver: false);
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
