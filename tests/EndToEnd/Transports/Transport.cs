using System.Text.Json.Nodes;
using Jackdaw.Brokers;

namespace Jackdaw.EndToEnd.Transports;

/// <summary>What carries messages from the server's tasks to the functions: a real broker behind a proxy that cuts both sides'
/// connections.</summary>
internal abstract class Transport : IAsyncDisposable
{
    /// <summary>The queue or topic of orders, and the exchange of RabbitMQ.</summary>
    public const string Orders = "orders";

    /// <summary>That of accounts' events.</summary>
    public const string Accounts = "accounts";

    /// <summary>Of a test's report.</summary>
    public abstract string Name { get; }

    /// <summary>How the names of its functions end.</summary>
    public abstract string Functions { get; }

    /// <summary>What server and function host connect to.</summary>
    public abstract CuttingProxy Proxy { get; }

    /// <summary>The body of the connection string of the server's tasks, without its name.</summary>
    public abstract JsonObject Connection { get; }

    /// <summary>Further members of the task that sends to a queue.</summary>
    public virtual JsonObject TaskMembers(string queue) => [];

    /// <summary>App settings of the function host.</summary>
    public abstract IReadOnlyDictionary<string, string> Settings { get; }

    /// <summary>How many messages no function has settled yet, those under way among them.</summary>
    public abstract Task<long> BacklogAsync();

    /// <summary>How many messages the host gave up.</summary>
    public abstract Task<long> GivenUpAsync();

    /// <summary>Sends a message that no task of the server sent.</summary>
    public abstract Task SendAsync(string queue, string message);

    public abstract ValueTask DisposeAsync();
}
