using Testcontainers.Kafka;

namespace Jackdaw.Brokers.Containers;

/// <summary><see cref="KafkaBroker"/> in a container.</summary>
public sealed class KafkaContainerBroker : ContainerBroker
{
    private readonly KafkaContainer _container;

    private KafkaContainerBroker(KafkaContainer container)
        : base(container) => _container = container;

    /// <summary>For clients.</summary>
    public string BootstrapServers => _container.GetBootstrapAddress();

    /// <summary>Starts one and waits until it is ready.</summary>
    public static async Task<KafkaContainerBroker> StartAsync()
    {
        var container = new KafkaBuilder().WithPortBinding(LoopbackPort.Find(), KafkaBuilder.KafkaPort).Build();
        await container.StartAsync();
        return new KafkaContainerBroker(container);
    }
}
