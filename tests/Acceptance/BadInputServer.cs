using System.Net.Http.Json;
using System.Text;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>A server with low limits and one database with one document, for tests that send what should not be sent.</summary>
public sealed class BadInputServer : IAsyncLifetime
{
    private ServerUnderTest _server = null!;

    public HttpClient Client { get; } = new();

    public string Url => _server.Url;

    public string Database => $"{_server.Url}/databases/db";

    public async Task InitializeAsync()
    {
        _server = await ServerUnderTest.StartAsync(
            "--Limits.MaxRequestBodySizeInMb=4",
            "--Limits.MaxDocumentSizeInMb=1",
            "--Limits.StagingThresholdInKb=64",
            "--Limits.MaxBatchSizeInMb=1"
        );
        (await Client.PutAsync($"{Url}/admin/databases?name=db", new StringContent("""{"DatabaseName":"db"}"""))).EnsureSuccessStatusCode();
        (await PutAsync("good/1", """{"name":"good","@metadata":{"@collection":"Goods"}}""")).EnsureSuccessStatusCode();
    }

    public async Task DisposeAsync()
    {
        Client.Dispose();
        await _server.DisposeAsync();
    }

    public Task<HttpResponseMessage> PutAsync(string id, string json) => PutAsync(id, Encoding.UTF8.GetBytes(json));

    public Task<HttpResponseMessage> PutAsync(string id, byte[] json) =>
        Client.PutAsync($"{Database}/docs?id={Uri.EscapeDataString(id)}", new ByteArrayContent(json));

    /// <summary>The answer is an error of the protocol's form; gives its Type and its Message.</summary>
    internal static async Task<(string Type, string Message)> ErrorAsync(HttpResponseMessage answer)
    {
        var body = await answer.Content.ReadFromJsonAsync<JsonElement>();
        Assert.False(string.IsNullOrEmpty(body.GetProperty("Url").GetString()));
        Assert.False(string.IsNullOrEmpty(body.GetProperty("Error").GetString()));
        return (body.GetProperty("Type").GetString()!, body.GetProperty("Message").GetString()!);
    }

    /// <summary>What was there before is there still, as it was.</summary>
    public async Task RequireNothingLostAsync()
    {
        var answer = await Client.GetFromJsonAsync<JsonElement>($"{Database}/docs?id=good/1");
        Assert.Equal("good", answer.GetProperty("Results")[0].GetProperty("name").GetString());
    }
}
