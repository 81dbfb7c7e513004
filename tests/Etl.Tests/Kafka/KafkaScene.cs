using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Jackdaw.Brokers;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Kafka;
using Jackdaw.Etl.Sinks;
using Xunit;

namespace Jackdaw.Etl.Tests.Kafka;

/// <summary>A scene whose tasks send to the shared broker, to a topic of its own.</summary>
internal sealed class KafkaScene : IAsyncDisposable
{
    /// <summary>The native client knows it, and the .NET client's enumeration has no name for it.</summary>
    public const ResourceType TransactionalId = (ResourceType)5;

    private readonly KafkaBroker _broker;
    private readonly CuttingProxy _proxy;

    private KafkaScene(KafkaBroker broker, CuttingProxy proxy, Scene scene, string topic)
    {
        _broker = broker;
        _proxy = proxy;
        Scene = scene;
        Topic = topic;
    }

    public Scene Scene { get; }

    public string Topic { get; }

    public string BootstrapServers => _broker.BootstrapServers;

    /// <summary>Connections of tasks go through the proxy.</summary>
    public bool IsProxied { get; set; }

    /// <summary>Where the task connects to; null: to the broker, or the proxy.</summary>
    public string? Servers { get; set; }

    public ManagedIdentitySettings? ManagedIdentity { get; set; }

    /// <summary>Short, so that what never answers does not take the tests' time.</summary>
    public KafkaTimes Times { get; set; } = new() { Transaction = TimeSpan.FromSeconds(30), Opening = TimeSpan.FromSeconds(15) };

    public Dictionary<string, string> Options { get; } = [];

    public KafkaTaskNames Names => new(Scene.Database.Id, 7);

    public static async Task<KafkaScene> OpenAsync(KafkaCollection.SharedBroker shared, string? folder = null, string? topic = null)
    {
        var broker = await shared.StartedAsync();
        return new KafkaScene(broker, shared.Proxy, await Scene.OpenAsync(folder), topic ?? $"t{Guid.NewGuid():N}");
    }

    /// <summary>Sends <c>{ n, k }</c> with the key <c>k</c>; of documents with <c>fat</c>, so many bytes more.</summary>
    public EtlTaskConfiguration Configuration(string? script = null) =>
        Scene.Configuration(
            Scene.Transform(
                script
                    ?? $"if (!this.skip) loadTo('{Topic}', {{ n: this.n, fat: "
                        + $"'x'.repeat(this.fat || 0) }}, {{ PartitionKey: this.k || id(this) }});"
            ) with
            {
                PublishDeletes = true,
            }
        );

    public ISink Sink(KafkaTaskSettings? task = null)
    {
        task ??= new KafkaTaskSettings();
        var settings = new KafkaSettings
        {
            BootstrapServers = Servers ?? (IsProxied ? $"127.0.0.1:{_proxy.Port}" : BootstrapServers),
            Options = Options,
            ManagedIdentity = ManagedIdentity,
        };
        var config = new KafkaClientConfig(settings, null, Times);
        return task.Delivery == KafkaDelivery.AtLeastOnce
            ? new KafkaAtLeastOnceSink(config, task)
            : new KafkaTransactionalSink(config, task, Names, new KafkaOwnership(Scene.Database, 7), Scene.Reach);
    }

    public Task StartAsync(string? script = null, KafkaTaskSettings? task = null) => Scene.StartAsync(Configuration(script), Sink(task));

    public async Task RunAsync(string? script = null, KafkaTaskSettings? task = null)
    {
        await StartAsync(script, task);
        RunToIdle();
    }

    public void RunToIdle()
    {
        Scene.RunToRest();
        Assert.Equal((EtlTaskState.Idle, null), (Scene.Task.State, Scene.Task.Status().Reason));
    }

    /// <summary>What a consumer that reads committed messages only has at the end, in each partition's order.</summary>
    public List<KafkaMessage> Read(string? topic = null)
    {
        using var consumer = new ConsumerBuilder<byte[], byte[]>(
            new ConsumerConfig
            {
                BootstrapServers = BootstrapServers,
                GroupId = "oracle",
                IsolationLevel = IsolationLevel.ReadCommitted,
                EnableAutoCommit = false,
                EnablePartitionEof = true,
                FetchWaitMaxMs = 10,
            }
        ).SetLogHandler((_, _) => { }).Build();
        using var admin = Admin();
        var partitions = admin
            .GetMetadata(topic ?? Topic, Eventually.Patience)
            .Topics[0]
            .Partitions.Select(partition => partition.PartitionId)
            .ToArray();
        consumer.Assign(partitions.Select(partition => new TopicPartitionOffset(topic ?? Topic, partition, Offset.Beginning)));
        var messages = new List<KafkaMessage>();
        for (int ended = 0; ended < partitions.Length; )
        {
            var result = consumer.Consume(Eventually.Patience);
            Assert.NotNull(result);
            if (result.IsPartitionEOF)
                ended++;
            else
                messages.Add(KafkaMessage.Of(result));
        }
        return messages;
    }

    public async Task CreateTopicAsync(string name, int partitions, Dictionary<string, string>? configs = null)
    {
        using var admin = Admin();
        await admin.CreateTopicsAsync([
            new TopicSpecification
            {
                Name = name,
                NumPartitions = partitions,
                ReplicationFactor = 1,
                Configs = configs ?? [],
            },
        ]);
    }

    public async Task ChangeTopicAsync(string name, Dictionary<string, string> configs)
    {
        using var admin = Admin();
        await admin.IncrementalAlterConfigsAsync(
            new Dictionary<ConfigResource, List<ConfigEntry>>
            {
                [new ConfigResource { Type = ResourceType.Topic, Name = name }] = configs
                    .Select(config => new ConfigEntry
                    {
                        Name = config.Key,
                        Value = config.Value,
                        IncrementalOperation = AlterConfigOpType.Set,
                    })
                    .ToList(),
            }
        );
    }

    /// <summary>Tasks must say who they are: as somebody of <see cref="KafkaCollection.SharedBroker.SaslPort"/>; without a user
    /// by other options.</summary>
    public void UseSasl(KafkaCollection.SharedBroker shared, string user, string password = "right", string mechanism = "PLAIN")
    {
        Servers = $"127.0.0.1:{shared.SaslPort}";
        Options["security.protocol"] = "SASL_PLAINTEXT";
        Options["sasl.mechanism"] = mechanism;
        if (user.Length == 0)
            return;
        Options["sasl.username"] = user;
        Options["sasl.password"] = password;
    }

    /// <summary>Gives a right, and waits until the broker knows of it.</summary>
    public async Task AllowAsync(string user, ResourceType type, string name, AclOperation operation)
    {
        var binding = new AclBinding
        {
            Pattern = new ResourcePattern
            {
                Type = type,
                Name = name,
                ResourcePatternType = ResourcePatternType.Literal,
            },
            Entry = new AccessControlEntry
            {
                Principal = $"User:{user}",
                Host = "*",
                Operation = operation,
                PermissionType = AclPermissionType.Allow,
            },
        };
        using var admin = Admin();
        await admin.CreateAclsAsync([binding]);
        for (int i = 0; (await admin.DescribeAclsAsync(binding.ToFilter())).AclBindings.Count == 0; i++)
            Assert.True(i < 1000, "The broker does not learn of the right.");
    }

    public IAdminClient Admin() =>
        new AdminClientBuilder(new AdminClientConfig { BootstrapServers = BootstrapServers }).SetLogHandler((_, _) => { }).Build();

    public async Task PutManyAsync(int from, int count, Func<int, string>? members = null)
    {
        for (int i = from; i < from + count; i++)
            await Scene.PutAsync($"orders/{i}", members?.Invoke(i) ?? $"{{\"n\":{i},\"k\":\"key{i % 5}\"}}");
    }

    /// <summary>Every document that is there arrived in its last version, nothing came twice, and each key is in order.</summary>
    public void AssertExactlyOnce(Func<string, bool>? isExpected = null)
    {
        var messages = Read();
        Assert.Empty(messages.GroupBy(message => message.Id).Where(copies => copies.Count() > 1).Select(copies => copies.Key));
        var arrived = messages.Select(message => message.Id).ToHashSet();
        var missing = new List<string>();
        using (var reader = Scene.Database.OpenRead("test"))
        {
            var documents = reader.ByEtag("Orders", 0);
            while (documents.MoveNext())
            {
                string id = System.Text.Encoding.UTF8.GetString(documents.Current.Id);
                if (
                    arrived.Contains(System.Text.Encoding.ASCII.GetString(documents.Current.ChangeVector))
                    != (isExpected?.Invoke(id) ?? true)
                )
                    missing.Add(id);
            }
        }
        Assert.Empty(missing);
        foreach (var key in messages.GroupBy(message => message.Key))
            Assert.Equal(key.Select(message => message.Etag).Order(), key.Select(message => message.Etag));
    }

    public async ValueTask DisposeAsync() => await Scene.DisposeAsync();
}
