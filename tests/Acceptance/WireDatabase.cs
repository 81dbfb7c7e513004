using System.Net;
using System.Text.Json;

namespace Jackdaw.Acceptance;

/// <summary>One database over plain HTTP: what is sent and what comes back, without a client that forgives.</summary>
internal sealed class WireDatabase(HttpClient client, string url, string name)
{
    public string Name => name;

    public async Task<WireAnswer> SendAsync(string method, string path, string? body = null, params (string Name, string Value)[] headers)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), $"{url}/databases/{name}{path}");
        if (body is not null)
            request.Content = new StringContent(body);
        foreach (var (header, value) in headers)
            Assert.True(request.Headers.TryAddWithoutValidation(header, value));
        using var answer = await client.SendAsync(request);
        var etag = answer.Headers.TryGetValues("ETag", out var etags) ? Assert.Single(etags) : null;
        var all = answer
            .Headers.Concat(answer.Content.Headers)
            .ToDictionary(h => h.Key, h => string.Join(",", h.Value), StringComparer.OrdinalIgnoreCase);
        return new WireAnswer(answer.StatusCode, etag, all, await answer.Content.ReadAsStringAsync());
    }

    public Task<WireAnswer> GetAsync(string path, params (string Name, string Value)[] headers) => SendAsync("GET", path, null, headers);

    /// <summary>Stores a document; gives its change vector.</summary>
    public async Task<string> PutAsync(string id, string json)
    {
        var answer = await SendAsync("PUT", $"/docs?id={Uri.EscapeDataString(id)}", json);
        Assert.Equal(HttpStatusCode.Created, answer.Status);
        return answer.Json.GetProperty("ChangeVector").GetString()!;
    }

    public async Task<JsonElement> DocumentAsync(string id) =>
        (await GetAsync($"/docs?id={Uri.EscapeDataString(id)}")).Json.GetProperty("Results")[0];
}
