using Testcontainers.RabbitMq;

namespace Jackdaw.Brokers.Containers;

/// <summary><see cref="RabbitBroker"/> in a container.</summary>
public sealed class RabbitContainerBroker : ContainerBroker
{
    private readonly RabbitMqContainer _container;

    private RabbitContainerBroker(RabbitMqContainer container)
        : base(container) => _container = container;

    /// <summary>Of the virtual host <c>/</c>, with user and password.</summary>
    public string Url => _container.GetConnectionString();

    /// <summary>Starts one and waits until it takes connections.</summary>
    public static async Task<RabbitContainerBroker> StartAsync()
    {
        // A name of its own, by which it finds its data again.
        var container = new RabbitMqBuilder()
            .WithImage("rabbitmq:3.13")
            .WithHostname("jackdaw")
            .WithPortBinding(LoopbackPort.Find(), RabbitMqBuilder.RabbitMqPort)
            .Build();
        await container.StartAsync();
        return new RabbitContainerBroker(container);
    }
}
