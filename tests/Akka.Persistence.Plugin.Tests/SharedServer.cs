using Akka.Configuration;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Actors.Tests;

/// <summary>One server process for all tests that do not kill theirs; each of them has a database of its own.</summary>
public sealed class SharedServer : IAsyncLifetime
{
    private ServerUnderTest? _server;
    private int _databases;

    /// <summary>Its address.</summary>
    public string Url => _server!.Url;

    /// <inheritdoc />
    public async Task InitializeAsync() => _server = await ServerUnderTest.StartAsync();

    /// <inheritdoc />
    public async Task DisposeAsync() => await _server!.DisposeAsync();

    /// <summary>Names a database that nobody has used.</summary>
    public string NewDatabase() => $"Actors-{Interlocked.Increment(ref _databases)}";

    /// <summary>The configuration of an actor system on a database of its own.</summary>
    /// <param name="more">HOCON that replaces what is said before it.</param>
    public Config NewConfiguration(string more = "") => PluginConfig.For(Url, NewDatabase(), more);
}
