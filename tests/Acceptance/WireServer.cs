using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>A server in memory that hands each test a database of its own.</summary>
public sealed class WireServer : IAsyncLifetime
{
    private ServerUnderTest _server = null!;
    private int _databases;

    internal HttpClient Client { get; } = new();

    internal string Url => _server.Url;

    public async Task InitializeAsync() => _server = await ServerUnderTest.StartAsync("--RunInMemory=true");

    public async Task DisposeAsync()
    {
        Client.Dispose();
        await _server.DisposeAsync();
    }

    internal async Task<WireDatabase> NewDatabaseAsync()
    {
        var name = $"db{Interlocked.Increment(ref _databases)}";
        using var created = await Client.PutAsync(
            $"{Url}/admin/databases?name={name}",
            new StringContent($$"""{"DatabaseName":"{{name}}"}""")
        );
        created.EnsureSuccessStatusCode();
        return new WireDatabase(Client, Url, name);
    }
}
