using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.UnderTest;

/// <summary>A server with more databases than one.</summary>
internal sealed partial class ServerUnderTest
{
    /// <summary>Creates a database and loads documents <c>items/0</c>, ... into it by one bulk insert.</summary>
    public async Task CreateDatabaseAsync(string name, long documents, CancellationToken cancel)
    {
        await CreateDatabaseAsync(name, cancel);
        JsonElement operation = await _http.GetFromJsonAsync<JsonElement>($"/databases/{name}/operations/next-operation-id", cancel);
        using var content = new BulkInsertContent(_bodies, DocumentIds.Prefix, 0, documents, CancellationToken.None);
        using HttpResponseMessage loaded = await _http.PostAsync(
            $"/databases/{name}/bulk_insert?id={operation.GetProperty("Id")}&skipOverwriteIfUnchanged=false",
            content,
            cancel
        );
        await CheckAsync(loaded, cancel);
    }

    /// <summary>Reads one document of a database and requires that it is there.</summary>
    public async Task RequireDocumentAsync(string database, long number, CancellationToken cancel)
    {
        using HttpResponseMessage answer = await _http.GetAsync($"/databases/{database}/docs?id={DocumentIds.Prefix}{number}", cancel);
        await CheckAsync(answer, cancel);
    }

    /// <summary>Each database has been opened once since the start.</summary>
    public async Task<bool> IsReadyAsync(CancellationToken cancel)
    {
        using HttpResponseMessage answer = await _http.GetAsync("/health/ready", cancel);
        return answer.StatusCode == HttpStatusCode.OK;
    }
}
