using Jackdaw.Etl;
using Jackdaw.Server.Endpoints.Monitoring;
using Jackdaw.Server.Tests.Security;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.Monitoring;

/// <summary>Anybody may ask whether the server is ready, as often as he likes.</summary>
public sealed class ReadinessTests
{
    [Fact]
    public async Task However_often_anybody_asks_the_server_looks_once_a_second_at_its_tasks()
    {
        using var clients = new KnownClients();
        var clock = new ManualClock();
        await using var scene = await ServerScene.OpenAsync(certificates: clients, readinessClock: clock);
        scene.State.IsOpened = true;
        for (var i = 0; i < 1000; i++)
            Assert.Equal("Ready", await StatusAsync(scene));
        Assert.Equal(1, scene.State.Readiness.Found);

        await StopATaskAsync(scene);
        Assert.Equal("Ready", await StatusAsync(scene));
        clock.Advance(Readiness.Interval);
        for (var i = 0; i < 1000; i++)
            Assert.Equal("Degraded", await StatusAsync(scene));
        Assert.Equal(2, scene.State.Readiness.Found);
        // What is not ready is told at once.
        await scene.State.BeginEndingAsync();
        Assert.Equal("NotReady", await StatusAsync(scene));
    }

    [Fact]
    public async Task While_one_request_looks_the_others_do_not_wait()
    {
        var readiness = new Readiness(new ManualClock());
        using var looks = new ManualResetEventSlim();
        using var goesOn = new ManualResetEventSlim();
        var first = Task.Run(() =>
            readiness.IsDegraded(() =>
            {
                looks.Set();
                return goesOn.Wait(Eventually.Patience);
            })
        );
        Assert.True(looks.Wait(Eventually.Patience));
        Assert.False(readiness.IsDegraded(() => throw new InvalidOperationException("A second one looked.")));
        goesOn.Set();
        Assert.True(await first);
        Assert.True(readiness.IsDegraded(() => throw new InvalidOperationException("It was looked at again within the second.")));
    }

    private static async Task<string?> StatusAsync(ServerScene scene) =>
        (await scene.RequestAsync("GET", "/health/ready")).Json.GetProperty("Status").GetString();

    private static async Task StopATaskAsync(ServerScene scene)
    {
        var tasks = scene.Database.Attached<EtlTasks>()!;
        await tasks.PutConnectionAsync(
            """{"Type":"Queue","Name":"c","BrokerType":"None","WebhookConnectionSettings":{"Url":"nowhere"}}"""u8.ToArray()
        );
        await tasks.PutTaskAsync(
            """{"EtlType":"Queue","BrokerType":"None","Name":"t","ConnectionStringName":"c","Transforms":[{"Name":"all","ApplyToAllDocuments":true,"Script":"loadToX(this);"}]}"""u8.ToArray(),
            null
        );
        await Eventually.IsAsync(() => tasks.Summaries().Any(task => task.State == EtlTaskState.Stopped));
    }
}
