using Jackdaw.Brokers;
using Jackdaw.Etl.RabbitMq;
using Xunit;

namespace Jackdaw.Etl.Tests.RabbitMq;

/// <summary>Connections that are lost, brokers that go and come.</summary>
[Collection(RabbitCollection.Name)]
[Trait("Category", "Slow")]
public class RabbitMqConnectionTests(RabbitFixture fixture)
{
    private static readonly RabbitMqOptions s_direct = new() { ExchangeType = RabbitMqExchangeType.Direct };

    private static RabbitMqSettings Through(RabbitScene test, CuttingProxy proxy, double timeoutSeconds = 10) =>
        new() { ConnectionString = test.Broker.UrlOver(proxy.Port), Timeout = TimeSpan.FromSeconds(timeoutSeconds) };

    private static async Task RestartAsync(RabbitBroker broker, bool isKilled)
    {
        if (isKilled)
            broker.Kill();
        else
            await broker.StopAsync();
        await broker.StartAgainAsync();
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task Connections_that_are_cut_at_random_lose_nothing_and_break_no_order()
    {
        int seed = int.Parse(Environment.GetEnvironmentVariable("RABBIT_SEED") ?? $"{Random.Shared.Next(1_000_000)}");
        var random = new Random(seed);
        await using var test = await RabbitScene.OpenAsync(fixture);
        await using var proxy = CuttingProxy.Start(test.Broker.Port);
        await test.StartAsync("loadTo('TARGET', this, this.k);", s_direct, Through(test, proxy));
        int written = 0,
            cuts = 0;
        for (int round = 0; round < 20; round++)
        {
            int count = random.Next(1, 300);
            await test.PutAsync(written, count);
            written += count;
            switch (random.Next(4))
            {
                case 0:
                    proxy.CutAfterBytes(toServer: random.Next(60_000));
                    break;
                case 1:
                    proxy.CutAfterBytes(toClient: random.Next(2_000));
                    break;
                case 2:
                    // Received and never answered.
                    proxy.SwallowAnswers = true;
                    var step = Task.Run(test.Scene.Task.RunStep);
                    await Task.Delay(50);
                    proxy.CutAll();
                    await step;
                    proxy.SwallowAnswers = false;
                    break;
                default:
                    proxy.CutAll();
                    break;
            }
            test.RunToIdle();
            cuts = proxy.ConnectionsMade - 1;
        }
        var got = await test.Peer.TakeAsync(test.Target);
        Assert.True(cuts >= 5, $"RABBIT_SEED={seed}: only {cuts} connections were cut.");
        try
        {
            RabbitOracle.Check(got, written);
        }
        catch (Exception failure)
        {
            throw new InvalidOperationException($"RABBIT_SEED={seed}: {failure.Message}", failure);
        }
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_broker_that_accepts_and_never_answers_ends_in_the_time_out()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await using var proxy = CuttingProxy.Start(test.Broker.Port);
        await test.StartAsync("loadTo('TARGET', this, this.k);", s_direct, Through(test, proxy, timeoutSeconds: 1));
        await test.PutAsync(0, 10);
        test.RunToIdle();
        proxy.Mode = ProxyMode.BlackHole;
        // More than sockets hold: writing comes to a stand too.
        for (int i = 10; i < 60; i++)
            await test.Scene.PutAsync($"orders/{i}", $$"""{"n":{{i}},"k":"k0","text":"{{new string('x', 200_000)}}"}""");
        test.RunUntil(
            () => test.Reason.Contains("did not confirm anything within 1 s", StringComparison.Ordinal),
            "sending ends in the time-out"
        );
        test.RunUntil(() => test.Reason.Contains("did not answer within 1 s", StringComparison.Ordinal), "connecting ends in the time-out");
        Assert.Equal(EtlTaskState.Waiting, test.State);
        proxy.CutAll();
        proxy.Mode = ProxyMode.Pass;
        test.RunToIdle();
        RabbitOracle.Check(await test.Peer.TakeAsync(test.Target), 60);
    }

    [BrokerTheory(BrokerKind.RabbitMq)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_broker_that_is_restarted_or_killed_while_documents_come_misses_nothing(bool isKilled)
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.StartAsync("loadTo('TARGET', this, this.k);", s_direct);
        int written = 0;
        Task? restarting = null;
        while (test.State != EtlTaskState.Waiting)
        {
            Assert.True(written < 500_000);
            await test.PutAsync(written, 300);
            written += 300;
            for (int i = 0; i < 3 && test.State != EtlTaskState.Waiting; i++)
                test.Scene.Task.RunStep();
            if (written == 3000)
                restarting = RestartAsync(test.Broker, isKilled);
        }
        Assert.NotNull(restarting);
        Assert.True(test.Scene.StoredPosition() > 0);
        test.RunUntil(() => restarting.IsCompleted, "the broker is back");
        await restarting;
        await test.ReconnectPeerAsync();
        test.RunToIdle();
        RabbitOracle.Check(await test.Peer.TakeAsync(test.Target), written);
        Assert.Empty(test.Scene.DeadLetters());
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_task_that_is_closed_in_the_middle_of_a_batch_sends_nothing_twice()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.PutAsync(0, 3000);
        var configuration = Scene.Configuration(Scene.Transform($"loadTo('{test.Target}', this, this.k);"));
        using var engine = new Scripting.ScriptEngine();
        int rounds = 0;
        for (; (test.Scene.StoredPosition() ?? 0) < 3000; rounds++)
        {
            Assert.True(rounds < 200);
            var sink = new RabbitMqSink(new RabbitMqSettings { ConnectionString = test.Broker.Url }, s_direct, "test");
            using var sending = new SemaphoreSlim(0);
            var options = new EtlOptions
            {
                Limits = EtlLimits.Default with { CloseGrace = Eventually.Patience },
                FailpointReached = name =>
                {
                    if (name == Failpoint.Sending)
                        sending.Release();
                },
            };
            await using var thread = new Running.EtlTaskThread(
                new Running.EtlTask(configuration, test.Scene.Database, engine, sink, options),
                test.Scene.Database,
                "out"
            );
            Assert.True(await sending.WaitAsync(Eventually.Patience));
            await Task.Delay(Random.Shared.Next(20));
        }
        Assert.True(rounds > 2, "It was done too soon to be closed in the middle.");
        Assert.Equal(0, RabbitOracle.Check(await test.Peer.TakeAsync(test.Target), 3000));
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_certificate_must_be_signed_by_who_is_trusted_and_name_the_host()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await using var secure = TlsTerminator.Start(test.Broker.Port, "localhost");
        await test.PutAsync(0, 3);
        await test.StartAsync(settings: new RabbitMqSettings { ConnectionString = $"amqps://guest:guest@localhost:{secure.Port}/" });
        test.RunUntil(EtlTaskState.Stopped);
        Assert.Contains("No secure connection", test.Reason, StringComparison.Ordinal);
        await test.StartAsync(
            settings: new RabbitMqSettings
            {
                ConnectionString = $"amqps://guest:guest@127.0.0.1:{secure.Port}/",
                CertificateAuthorityFile = secure.AuthorityFile,
            }
        );
        test.RunUntil(EtlTaskState.Stopped);
        Assert.Contains("No secure connection", test.Reason, StringComparison.Ordinal);
        await test.StartAsync(
            settings: new RabbitMqSettings
            {
                ConnectionString = $"amqps://guest:guest@localhost:{secure.Port}/",
                CertificateAuthorityFile = secure.AuthorityFile,
            }
        );
        test.RunToIdle();
        Assert.Equal(0, RabbitOracle.Check(await test.Peer.TakeAsync(test.Target), 3));
    }
}
