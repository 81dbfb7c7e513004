using System.Collections.Concurrent;
using Akka.Actor;
using Akka.Cluster;
using Akka.Cluster.Sharding;
using Akka.Configuration;

namespace Jackdaw.Actors.Tests.Sharding;

/// <summary>Akka.Cluster.Sharding keeps which entities there are in a journal of their own.</summary>
[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class RememberedEntitiesTests(SharedServer server)
{
    private const int Entities = 30;

    [Fact]
    public async Task Entities_are_remembered_and_recover_in_the_next_cluster()
    {
        var (domain, sharding) = (server.NewDatabase(), server.NewDatabase());
        for (var life = 1; life <= 2; life++)
        {
            var started = new ConcurrentDictionary<string, bool>();
            await using var host = new ActorHost(Configuration(domain, sharding));
            var cluster = Cluster.Get(host.System);
            await cluster.JoinAsync(cluster.SelfAddress).WaitAsync(Eventually.Patience);
            var region = await ClusterSharding
                .Get(host.System)
                .StartAsync(
                    "counter",
                    id => Props.Create(() => new Counter(id, started)),
                    ClusterShardingSettings.Create(host.System),
                    new FewShards()
                );
            if (life > 1)
                // Nobody has sent them anything.
                await Eventually.IsAsync(() => started.Count == Entities);
            for (var i = 0; i < Entities; i++)
                Assert.Equal(life, await region.Ask<int>($"{i}", Eventually.Patience));
        }
    }

    private Config Configuration(string domain, string sharding) =>
        ConfigurationFactory
            .ParseString(
                $$"""
                akka.actor.provider = cluster
                akka.remote.dot-netty.tcp.hostname = "127.0.0.1"
                akka.remote.dot-netty.tcp.port = 0
                akka.cluster.sharding.state-store-mode = ddata
                akka.cluster.sharding.remember-entities = on
                akka.cluster.sharding.remember-entities-store = eventsourced
                akka.cluster.sharding.journal-plugin-id = "akka.persistence.journal.sharding"
                akka.cluster.sharding.snapshot-plugin-id = "akka.persistence.snapshot-store.sharding"
                akka.cluster.sharding.snapshot-after = 10
                akka.persistence.journal.sharding {
                  class = "Akka.Persistence.Jackdaw.JackdawJournal, Akka.Persistence.Jackdaw"
                  url = "{{server.Url}}"
                  database = "{{sharding}}"
                  auto-initialize = on
                }
                akka.persistence.snapshot-store.sharding {
                  class = "Akka.Persistence.Jackdaw.JackdawSnapshotStore, Akka.Persistence.Jackdaw"
                  url = "{{server.Url}}"
                  database = "{{sharding}}"
                  auto-initialize = on
                }
                """
            )
            .WithFallback(PluginConfig.For(server.Url, domain))
            .WithFallback(ClusterSharding.DefaultConfig());
}
