using DotNet.Testcontainers.Containers;

namespace Jackdaw.Brokers.Containers;

/// <summary>What <see cref="Broker"/> is, in a container: its host ports are fixed before it starts, so that it comes back on the
/// same ones.</summary>
public abstract class ContainerBroker(IContainer container) : IAsyncDisposable
{
    /// <summary>Ends it in order; its container, and so its data, stays.</summary>
    public Task StopAsync() => container.StopAsync();

    /// <summary>Starts it on the same ports and data, and waits until it is ready.</summary>
    public Task StartAgainAsync() => container.StartAsync();

    /// <summary>Ends and removes the container.</summary>
    public ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return container.DisposeAsync();
    }
}
