using System.Runtime.CompilerServices;
using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Storage;
using Xunit;
using static Jackdaw.Etl.Tests.EtlTasksTests;

namespace Jackdaw.Etl.Tests;

/// <summary>What tasks leave behind when they are changed often, and what they hold up when they end.</summary>
public class TaskLifetimeTests
{
    private const int Changes = 200;

    [Fact]
    public async Task A_task_that_is_changed_very_often_leaves_nothing_behind()
    {
        await using var scene = await Scene.OpenAsync();
        var sinks = new List<WeakReference>();
        [MethodImpl(MethodImplOptions.NoInlining)]
        RecordingSink Sink()
        {
            var sink = new RecordingSink([]);
            lock (sinks)
                sinks.Add(new WeakReference(sink));
            return sink;
        }
        await using var tasks = EtlTasks.Open(scene.Database, s_engine, new EtlOptions { Sink = _ => Sink() });
        await tasks.PutConnectionAsync(Connection("http://127.0.0.1:1/"));
        // A name of its own: other tests have tasks in databases of this name, too.
        byte[] Named(string script) =>
            Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(Definition(script)).Replace("\"Out\"", "\"Many\"", StringComparison.Ordinal));
        long id = await tasks.PutTaskAsync(Named("loadToOut(this);"), null);
        for (int i = 0; i < Changes; i++)
        {
            await scene.PutAsync($"orders/{i}", "{}");
            // Each way to change it, and in between time enough for some of its runs to deliver.
            _ = (i % 4) switch
            {
                0 => await tasks.PutTaskAsync(Named($"loadToOut({{ i: {i} }}); function deleted(id) {{ loadToGone({{ id }}); }}"), id),
                1 => await tasks.SetDisabledAsync(id, disabled: true) ? 0 : 1,
                2 => await tasks.SetDisabledAsync(id, disabled: false) ? 0 : 1,
                _ => await tasks.SetPositionAsync(id, null, i) ? 0 : 1,
            };
        }
        await UntilAsync(() => tasks.Find(id)!.Status.State == EtlTaskState.Idle);
        Assert.True(sinks.Count > Changes / 2, $"{sinks.Count} sinks");
        // That of the task that runs, and perhaps one that a thread's stack still shows.
        await UntilAsync(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return Living() <= 2 && ThreadsOf("etl shop/Many") <= 1;
            },
            "No more than two sinks live, and no more than one thread."
        );

        int Living()
        {
            lock (sinks)
                return sinks.Count(sink => sink.IsAlive);
        }
    }

    /// <summary>The system shows 15 characters of a thread's name.</summary>
    private static int ThreadsOf(string name) =>
        Directory
            .GetDirectories("/proc/self/task")
            .Count(thread =>
            {
                try
                {
                    return File.ReadAllText(Path.Combine(thread, "comm")).StartsWith(name, StringComparison.Ordinal);
                }
                catch (IOException)
                {
                    // It has ended.
                    return false;
                }
            });

    [Fact]
    public async Task A_task_that_is_closed_while_it_opens_waits_for_no_answer()
    {
        await using var scene = await Scene.OpenAsync();
        var sink = new OpeningForeverSink();
        var tasks = EtlTasks.Open(
            scene.Database,
            s_engine,
            new EtlOptions { Limits = EtlLimits.Default with { CloseGrace = TimeSpan.FromMinutes(10) }, Sink = _ => sink }
        );
        await tasks.PutConnectionAsync(Connection("http://127.0.0.1:1/"));
        await tasks.PutTaskAsync(Definition(), null);
        await sink.Opening.WaitAsync(TimeSpan.FromSeconds(30));
        // Nothing was sent that could still be answered.
        await tasks.DisposeAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(60));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_database_that_is_deleted_while_its_tasks_deliver_goes_soon_and_sends_nothing_more(bool isHanging)
    {
        await using var endpoint = new WebhookEndpoint((_, _) => isHanging ? Task.Delay(Timeout.Infinite) : Task.Delay(5));
        string folder = Directory.CreateTempSubdirectory("jackdaw-etl-").FullName;
        var options = new EtlOptions { Limits = EtlLimits.Default with { CloseGrace = TimeSpan.FromMilliseconds(200) } };
        await using (
            var databases = Databases.Open(
                new DatabasesOptions
                {
                    DataDir = folder,
                    Opened = database => database.Attach(EtlTasks.Open(database, s_engine, options)),
                    Storage = new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
                }
            )
        )
        {
            await databases.CreateAsync("doomed", "{}"u8.ToArray());
            var database = databases.Get("doomed");
            var tasks = database.Attached<EtlTasks>()!;
            await tasks.PutConnectionAsync(Connection(endpoint.Url));
            await tasks.PutTaskAsync(Definition(), null);
            var batch = BatchOperation.Rent();
            for (int i = 0; i < 2000; i++)
            {
                var put = batch.AddPut();
                put.SetId($"orders/{i}");
                put.SetDocument(Encoding.UTF8.GetBytes("""{"@metadata":{"@collection":"Orders"}}"""), database.Limits);
            }
            await database.SubmitAsync(batch);
            batch.Return();
            await UntilAsync(() => endpoint.Requests.Count >= 16);
            // Half of the time-out of a request: it is the grace that ends those on their way.
            Assert.True(await databases.DeleteAsync("doomed", hard: true).WaitAsync(Eventually.Patience / 2));
            // It may still come to a request that was given up. Then nothing more comes, or all 2,000 would.
            int received;
            do
            {
                received = endpoint.Requests.Count;
                await Task.Delay(100);
            } while (received != endpoint.Requests.Count);
            Assert.True(received < 2000);
            // Its name is free, and no task of it comes back.
            await databases.CreateAsync("doomed", "{}"u8.ToArray());
            Assert.Empty(databases.Get("doomed").Attached<EtlTasks>()!.List());
        }
        Directory.Delete(folder, recursive: true);
    }
}
