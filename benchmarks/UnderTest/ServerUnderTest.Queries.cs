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
        while (true)
        {
            JsonElement statistics = await _http.GetFromJsonAsync<JsonElement>($"/databases/{Database}/stats", cancel);
            JsonElement[] indexes = [.. statistics.GetProperty("Indexes").EnumerateArray()];
            if (indexes.FirstOrDefault(i => i.GetProperty("State").GetString() == "Error") is { ValueKind: JsonValueKind.Object } broken)
                throw new IOException($"the index {broken.GetProperty("Name")} is in error");
            if (indexes.All(i => !i.GetProperty("IsStale").GetBoolean() && !Name(i).StartsWith("ReplacementOf/", StringComparison.Ordinal)))
                return;
            await Task.Delay(20, cancel);
        }

        static string Name(JsonElement index) => index.GetProperty("Name").GetString()!;
    }

    /// <summary>Deletes every index.</summary>
    public async Task DeleteIndexesAsync(CancellationToken cancel)
    {
        JsonElement names = await _http.GetFromJsonAsync<JsonElement>(
            $"/databases/{Database}/indexes?namesOnly=true&pageSize=1000",
            cancel
        );
        foreach (JsonElement name in names.GetProperty("Results").EnumerateArray())
        {
            string path = $"/databases/{Database}/indexes?name={Uri.EscapeDataString(name.GetString()!)}";
            using HttpResponseMessage answer = await _http.DeleteAsync(path, cancel);
            await CheckAsync(answer, cancel);
        }
    }
}
