using System.Text.Json.Nodes;
using Jackdaw.Brokers;

namespace Jackdaw.Acceptance.Deliveries;

/// <summary>Something that a task sends to, and that shows what it was sent. Outlives the servers that send to it.</summary>
internal abstract class DeliveryTarget : IAsyncDisposable
{
    private readonly List<Arrival> _arrivals = [];

    public abstract string Name { get; }

    public abstract DeliveryPromise Promise { get; }

    /// <summary>Between the server and what it sends to.</summary>
    public abstract CuttingProxy Proxy { get; }

    /// <summary>Where a server is to die beside the failpoints of every task: values of the setting <c>Testing.Failpoint</c>.</summary>
    public virtual IReadOnlyList<string> OwnDeaths => [];

    /// <summary>Everything that has arrived up to the last <see cref="CollectAsync"/>, copies included: of one key in the order
    /// of arrival.</summary>
    public IReadOnlyList<Arrival> Arrivals => _arrivals;

    /// <summary>The connection string, named "Target"; it leads through the proxy.</summary>
    public abstract JsonObject Connection();

    /// <summary>
    /// The script: one message a document, a second one where <c>n</c> is divisible by five; it throws where <c>bad</c> is
    /// "script", and makes a message that the
    /// target refuses where it is "sink".
    /// </summary>
    public abstract string Script { get; }

    /// <summary>Further members of the task.</summary>
    public virtual JsonObject TaskMembers() => [];

    /// <summary>Takes what has arrived meanwhile to <see cref="Arrivals"/>.</summary>
    public async Task CollectAsync() => _arrivals.AddRange(await TakeAsync());

    /// <summary>The same, once the receiver shows everything that it has acknowledged. For a task that is idle.</summary>
    public async Task CollectAllAsync()
    {
        await UntilShownAsync();
        await CollectAsync();
    }

    /// <summary>Ends the receiver in order and starts it again on the same ports and data; null: it has no process of its own.</summary>
    public virtual Func<Task>? Restart => null;

    /// <summary>The same by kill -9; null where that may lose what was acknowledged.</summary>
    public virtual Func<Task>? KillAndStart => null;

    public abstract ValueTask DisposeAsync();

    /// <summary>Until the receiver shows everything that it has acknowledged.</summary>
    protected virtual Task UntilShownAsync() => Task.CompletedTask;

    /// <summary>What has arrived since the last call.</summary>
    protected abstract Task<IReadOnlyList<Arrival>> TakeAsync();
}
