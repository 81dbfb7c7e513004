using Testcontainers.Azurite;

namespace Jackdaw.Brokers.Containers;

/// <summary><see cref="AzuriteBroker"/> in a container.</summary>
public sealed class AzuriteContainerBroker : ContainerBroker
{
    private readonly AzuriteContainer _container;

    private AzuriteContainerBroker(AzuriteContainer container)
        : base(container) => _container = container;

    /// <summary>For its Queue and Blob services.</summary>
    public string ConnectionString => _container.GetConnectionString();

    /// <summary>Starts one and waits until it answers.</summary>
    public static async Task<AzuriteContainerBroker> StartAsync()
    {
        var container = new AzuriteBuilder()
            .WithPortBinding(LoopbackPort.Find(), AzuriteBuilder.BlobPort)
            .WithPortBinding(LoopbackPort.Find(), AzuriteBuilder.QueuePort)
            .WithPortBinding(LoopbackPort.Find(), AzuriteBuilder.TablePort)
            .Build();
        await container.StartAsync();
        return new AzuriteContainerBroker(container);
    }
}
