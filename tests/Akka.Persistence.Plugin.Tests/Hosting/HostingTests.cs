using Akka.Actor;
using Akka.Hosting;
using Akka.Persistence;
using Akka.Persistence.Jackdaw.Hosting;
using Jackdaw.EventStreams.Client;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;

namespace Jackdaw.Actors.Tests.Hosting;

/// <summary>Set-up by Akka.Hosting.</summary>
[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class HostingTests(SharedServer server)
{
    [Fact]
    public async Task Several_named_plug_ins_keep_their_events_in_databases_of_their_own()
    {
        var (first, second) = (server.NewDatabase(), server.NewDatabase());
        using var host = Host(builder =>
            builder
                .WithJackdawPersistence(server.Url, first)
                .WithJackdawPersistence(server.Url, second, pluginIdentifier: "sharding", isDefaultPlugin: false)
        );
        await host.StartAsync();
        var system = host.Services.GetRequiredService<ActorSystem>();

        await WriteAsync(system, "akka.persistence.journal.jackdaw", "domain");
        await WriteAsync(system, "akka.persistence.journal.sharding", "shard");

        Assert.Equal(["domain"], await StreamsAsync(first));
        Assert.Equal(["shard"], await StreamsAsync(second));
        Assert.Equal("akka.persistence.journal.jackdaw", system.Settings.Config.GetString("akka.persistence.journal.plugin"));
        await host.StopAsync();
    }

    [Fact]
    public async Task Health_checks_tell_whether_the_server_answers_and_write_nothing()
    {
        var database = server.NewDatabase();
        var there = new JackdawConnection { Url = server.Url, Database = database };
        var absent = new JackdawConnection { Url = $"http://127.0.0.1:{Brokers.LoopbackPort.Find()}", Database = database };
        using var host = Host(builder => builder.WithJackdawPersistence(server.Url, database));
        await host.StartAsync();
        var system = host.Services.GetRequiredService<ActorSystem>();
        await WriteAsync(system, "akka.persistence.journal.jackdaw", "one");

        var journal = await Persistence.Instance.Apply(system).CheckJournalHealthAsync("akka.persistence.journal.jackdaw", default);
        Assert.Equal(PersistenceHealthStatus.Healthy, journal.Status);
        var context = new AkkaHealthCheckContext(system);
        Assert.Equal(HealthStatus.Healthy, (await new JackdawConnectivityCheck(there).CheckHealthAsync(context)).Status);
        var refused = await new JackdawConnectivityCheck(absent).CheckHealthAsync(context);
        Assert.Equal(HealthStatus.Unhealthy, refused.Status);
        Assert.Contains(database, refused.Description, StringComparison.Ordinal);
        Assert.Equal(["one"], await StreamsAsync(database));
        await host.StopAsync();
    }

    [Fact]
    public async Task The_health_checks_of_the_host_report_journal_snapshot_store_and_server()
    {
        var database = server.NewDatabase();
        var absent = new JackdawConnection { Url = $"http://127.0.0.1:{Brokers.LoopbackPort.Find()}", Database = database };
        using var host = Host(
            builder =>
                builder
                    .WithJackdawPersistence(
                        server.Url,
                        database,
                        journalBuilder: journal => journal.WithHealthCheck(name: "journal"),
                        snapshotBuilder: store => store.WithHealthCheck(name: "snapshots")
                    )
                    .WithJackdawPersistence(
                        absent.Url,
                        database,
                        journalBuilder: journal => journal.WithHealthCheck(name: "absent journal"),
                        pluginIdentifier: "absent",
                        isDefaultPlugin: false
                    )
                    .WithJackdawConnectivityCheck(new JackdawConnection { Url = server.Url, Database = database }, name: "server")
                    .WithJackdawConnectivityCheck(absent, HealthStatus.Degraded, "absent server"),
            services => services.AddHealthChecks()
        );
        await host.StartAsync();
        var checks = host.Services.GetRequiredService<HealthCheckService>();
        HealthReport? report = null;
        await Eventually.IsAsync(async () => (report = await checks.CheckHealthAsync()).Entries["journal"].Status == HealthStatus.Healthy);
        await Eventually.IsAsync(async () =>
            (report = await checks.CheckHealthAsync()).Entries["snapshots"].Status == HealthStatus.Healthy
        );

        Assert.Equal(HealthStatus.Healthy, report!.Entries["server"].Status);
        Assert.Equal(HealthStatus.Degraded, report.Entries["absent server"].Status);
        Assert.Contains(absent.Url!, report.Entries["absent server"].Description, StringComparison.Ordinal);
        Assert.Equal(HealthStatus.Degraded, report.Entries["absent journal"].Status);
        Assert.Contains(absent.Url!, report.Entries["absent journal"].Description, StringComparison.Ordinal);
        Assert.Contains("persistence", report.Entries["journal"].Tags);
        // The checks write nothing.
        Assert.Empty(await StreamsAsync(database));
        await host.StopAsync();
    }

    private static IHost Host(Action<AkkaConfigurationBuilder> configure, Action<IServiceCollection>? more = null) =>
        new HostBuilder()
            .ConfigureServices(services =>
            {
                more?.Invoke(services);
                services.AddAkka("hosted", configure);
            })
            .Build();

    private static async Task WriteAsync(ActorSystem system, string journal, string id)
    {
        using var inbox = Inbox.Create(system);
        var write = new AtomicWrite(new Persistent("event", 1, id, sender: inbox.Receiver, writerGuid: "w"));
        Persistence.Instance.Apply(system).JournalFor(journal).Tell(new WriteMessages([write], inbox.Receiver, 1), inbox.Receiver);
        Assert.IsType<WriteMessagesSuccessful>(await inbox.ReceiveAsync(Eventually.Patience));
    }

    private async Task<IReadOnlyList<string>> StreamsAsync(string database)
    {
        await using var client = new EventStreamsClient(new EventStreamsClientOptions { Url = new Uri(server.Url), Database = database });
        return (await client.StreamsAsync(0, 10)).Streams;
    }
}
