using System.Net.Http.Json;
using System.Text.Json;

namespace Jackdaw.Bench.UnderTest;

/// <summary>Queries and indexes.</summary>
internal sealed partial class ServerUnderTest
{
    /// <summary>Where queries are sent.</summary>
    public static string QueryPath => $"/databases/{Database}/queries";

    /// <summary>Answers a query.</summary>
    public async Task<JsonElement> QueryAsync(string query, CancellationToken cancel) =>
        JsonDocument.Parse(await QueryBytesAsync(JsonSerializer.Serialize(new { Query = query }), cancel)).RootElement;

    /// <summary>The bytes of the answer to a query's body.</summary>
    public async Task<byte[]> QueryBytesAsync(string body, CancellationToken cancel)
    {
        using HttpResponseMessage answer = await _http.PostAsync(QueryPath, new StringContent(body), cancel);
        await CheckAsync(answer, cancel);
        return await answer.Content.ReadAsByteArrayAsync(cancel);
    }

    /// <summary>Waits until no index is stale.</summary>
    public async Task WaitForIndexesAsync(CancellationToken cancel)
    {
        while (await HasStaleIndexAsync(cancel))
            await Task.Delay(20, cancel);
    }

    /// <summary>Whether an index is stale or is still being built beside others.</summary>
    /// <exception cref="IOException">An index is in error.</exception>
    public async Task<bool> HasStaleIndexAsync(CancellationToken cancel)
    {
        JsonElement statistics = await _http.GetFromJsonAsync<JsonElement>($"/databases/{Database}/stats", cancel);
        JsonElement[] indexes = [.. statistics.GetProperty("Indexes").EnumerateArray()];
        if (indexes.FirstOrDefault(i => i.GetProperty("State").GetString() == "Error") is { ValueKind: JsonValueKind.Object } broken)
            throw new IOException($"the index {broken.GetProperty("Name")} is in error");
        return indexes.Any(i => i.GetProperty("IsStale").GetBoolean() || Name(i).StartsWith("ReplacementOf/", StringComparison.Ordinal));

        static string Name(JsonElement index) => index.GetProperty("Name").GetString()!;
    }

    /// <summary>Waits until one index is not stale.</summary>
    public async Task WaitForIndexAsync(string name, CancellationToken cancel)
    {
        string path = $"/databases/{Database}/indexes/staleness?name={Uri.EscapeDataString(name)}";
        while ((await _http.GetFromJsonAsync<JsonElement>(path, cancel)).GetProperty("IsStale").GetBoolean())
            await Task.Delay(20, cancel);
    }

    /// <summary>
    /// Makes one automatic index for each query over a collection that has no index yet. Each is disabled before the next is made,
    /// because a query merges the running indexes of its collection into one. Returns their names; all are left disabled.
    /// </summary>
    public async Task<IReadOnlyList<string>> CreateSeparateIndexesAsync(IEnumerable<string> queries, CancellationToken cancel)
    {
        List<string> made = [];
        foreach (string query in queries)
        {
            await QueryAsync(query, cancel);
            string[] added = [.. (await IndexNamesAsync(cancel)).Except(made)];
            if (added.Length != 1)
                throw new IOException($"the query {query} made {added.Length} indexes where one was expected");
            made.Add(added[0]);
            await DisableIndexAsync(added[0], cancel);
        }
        return made;
    }

    public Task EnableIndexAsync(string name, CancellationToken cancel) => PostAsync("admin/indexes/enable", name, cancel);

    public Task DisableIndexAsync(string name, CancellationToken cancel) => PostAsync("admin/indexes/disable", name, cancel);

    /// <summary>Empties an index. A disabled one stays disabled.</summary>
    public async Task ResetIndexAsync(string name, CancellationToken cancel)
    {
        using var request = new HttpRequestMessage(
            new HttpMethod("RESET"),
            $"/databases/{Database}/indexes?name={Uri.EscapeDataString(name)}"
        );
        using HttpResponseMessage answer = await _http.SendAsync(request, cancel);
        await CheckAsync(answer, cancel);
    }

    /// <summary>Deletes every index.</summary>
    public async Task DeleteIndexesAsync(CancellationToken cancel)
    {
        foreach (string name in await IndexNamesAsync(cancel))
        {
            string path = $"/databases/{Database}/indexes?name={Uri.EscapeDataString(name)}";
            using HttpResponseMessage answer = await _http.DeleteAsync(path, cancel);
            await CheckAsync(answer, cancel);
        }
    }

    private async Task<IReadOnlyList<string>> IndexNamesAsync(CancellationToken cancel)
    {
        JsonElement names = await _http.GetFromJsonAsync<JsonElement>(
            $"/databases/{Database}/indexes?namesOnly=true&pageSize=1000",
            cancel
        );
        return [.. names.GetProperty("Results").EnumerateArray().Select(name => name.GetString()!)];
    }

    private async Task PostAsync(string route, string index, CancellationToken cancel)
    {
        string path = $"/databases/{Database}/{route}?name={Uri.EscapeDataString(index)}";
        using HttpResponseMessage answer = await _http.PostAsync(path, content: null, cancel);
        await CheckAsync(answer, cancel);
    }
}
