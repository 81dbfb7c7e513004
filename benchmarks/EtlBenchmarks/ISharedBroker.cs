using System.Text.Json.Nodes;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>A broker that a server's task sends to.</summary>
internal interface ISharedBroker
{
    /// <summary>The connection string of a server to it, with its name and the kind of broker.</summary>
    JsonObject Connection { get; }

    /// <exception cref="ContenderUnavailableException">It is not here.</exception>
    Task StartAsync();

    /// <summary>Once for each <see cref="StartAsync"/>.</summary>
    Task LetGoAsync();

    /// <summary>Requires that a target has exactly so many messages, and deletes it.</summary>
    /// <exception cref="IOException">It has not.</exception>
    Task RequireAndRemoveAsync(string target, long count, CancellationToken cancel);
}
