using System.Net.Http.Json;
using System.Text.Json;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.UnderTest;

/// <summary>The real server as a process of its own, driven over HTTP as a client would.</summary>
internal sealed partial class ServerUnderTest : IAsyncDisposable
{
    public const string Database = "bench";
    private static readonly TimeSpan ReadyLimit = TimeSpan.FromMinutes(5);
    private readonly ServerProcess _process;
    private readonly HttpClient _http;
    private readonly DocumentBodies _bodies = new();

    private ServerUnderTest(ServerProcess process, SocketsHttpHandler? handler = null)
    {
        _process = process;
        _http = new HttpClient(handler ?? new SocketsHttpHandler())
        {
            BaseAddress = new Uri(process.Url),
            Timeout = Timeout.InfiniteTimeSpan,
        };
    }

    public int ProcessId => _process.Id;

    public string Url => _process.Url;

    /// <summary>Starts the server on the data folder and waits until it is ready.</summary>
    public static async Task<ServerUnderTest> StartAsync(string dataDirectory, CancellationToken cancel)
    {
        if (!File.Exists(Repository.ServerAssembly))
            throw new ContenderUnavailableException($"{Repository.ServerAssembly} is not built");
        return new ServerUnderTest(
            await ServerProcess.StartAsync(
                Repository.ServerAssembly,
                ["--ServerUrl=http://127.0.0.1:0", "--DataDir=" + dataDirectory],
                ReadyLimit,
                cancel
            )
        );
    }

    /// <summary>Starts the server on an empty folder and creates the database.</summary>
    public static async Task<ServerUnderTest> StartNewAsync(string dataDirectory, CancellationToken cancel)
    {
        ServerUnderTest server = await StartAsync(dataDirectory, cancel);
        try
        {
            await server.CreateDatabaseAsync(cancel);
            return server;
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }
    }

    /// <summary>Deletes the database with its files and creates it anew, in the running process.</summary>
    public async Task RecreateDatabaseAsync(CancellationToken cancel)
    {
        using var request = new HttpRequestMessage(HttpMethod.Delete, "/admin/databases")
        {
            Content = JsonContent.Create(new { DatabaseNames = new[] { Database }, HardDelete = true }),
        };
        using HttpResponseMessage answer = await _http.SendAsync(request, cancel);
        await CheckAsync(answer, cancel);
        await CreateDatabaseAsync(cancel);
    }

    /// <summary>
    /// Loads documents <c>items/first</c>, ... in one bulk insert; returns when the server has acknowledged all. With
    /// <paramref name="endEarly"/> it ends before the count is reached.
    /// </summary>
    /// <returns>How many were sent.</returns>
    public Task<long> BulkInsertAsync(long first, long count, CancellationToken cancel, CancellationToken endEarly = default) =>
        BulkInsertAsync(_bodies, first, count, cancel, endEarly);

    /// <summary>As the other one, with other documents.</summary>
    public async Task<long> BulkInsertAsync(
        IBodies bodies,
        long first,
        long count,
        CancellationToken cancel,
        CancellationToken endEarly = default
    )
    {
        JsonElement operation = await _http.GetFromJsonAsync<JsonElement>($"/databases/{Database}/operations/next-operation-id", cancel);
        using var content = new BulkInsertContent(bodies, DocumentIds.Prefix, first, count, endEarly);
        using var request = new HttpRequestMessage(
            HttpMethod.Post,
            $"/databases/{Database}/bulk_insert?id={operation.GetProperty("Id")}&skipOverwriteIfUnchanged=false"
        )
        {
            Content = content,
        };
        request.Headers.TransferEncodingChunked = true;
        using HttpResponseMessage answer = await _http.SendAsync(request, cancel);
        await CheckAsync(answer, cancel);
        return content.Sent;
    }

    public Task<long> CountDocumentsAsync(CancellationToken cancel) => CountDocumentsAsync(Database, cancel);

    /// <summary>Likewise, of any database.</summary>
    public async Task<long> CountDocumentsAsync(string database, CancellationToken cancel)
    {
        JsonElement statistics = await _http.GetFromJsonAsync<JsonElement>($"/databases/{database}/stats", cancel);
        return statistics.GetProperty("CountOfDocuments").GetInt64();
    }

    /// <summary>Lets documents expire that are due, or not.</summary>
    public async Task ConfigureExpirationAsync(bool isDisabled, CancellationToken cancel)
    {
        using HttpResponseMessage answer = await _http.PostAsJsonAsync(
            $"/databases/{Database}/admin/expiration/config",
            new { Disabled = isDisabled, DeleteFrequencyInSec = 1 },
            cancel
        );
        await CheckAsync(answer, cancel);
    }

    /// <summary>Documents that have a date in <c>@expires</c>.</summary>
    public async Task<long> CountWaitingToExpireAsync(CancellationToken cancel)
    {
        JsonElement statistics = await _http.GetFromJsonAsync<JsonElement>($"/databases/{Database}/debug/expiration", cancel);
        return statistics.GetProperty("Expiration").GetProperty("Waiting").GetInt64();
    }

    /// <summary>Requires that as many documents are there as were acknowledged: a rate of lost writes is no rate.</summary>
    public async Task RequireCountAsync(long expected, CancellationToken cancel)
    {
        long count = await CountDocumentsAsync(cancel);
        if (count != expected)
            throw new IOException($"the server acknowledged {expected} documents and has {count}");
    }

    /// <summary>The bytes of the answer to a GET of one document.</summary>
    public async Task<byte[]> GetAsync(string id, CancellationToken cancel)
    {
        using HttpResponseMessage answer = await _http.GetAsync($"/databases/{Database}/docs?id={Uri.EscapeDataString(id)}", cancel);
        await CheckAsync(answer, cancel);
        return await answer.Content.ReadAsByteArrayAsync(cancel);
    }

    /// <summary>Bytes on the server's managed heap, as it tells itself; what is dead and not yet collected included.</summary>
    public async Task<long> ManagedHeapBytesAsync(CancellationToken cancel)
    {
        JsonElement memory = await _http.GetFromJsonAsync<JsonElement>("/admin/debug/memory", cancel);
        return memory.GetProperty("ManagedHeap").GetInt64();
    }

    /// <summary>Bytes allocated on the server's managed heap since it was started.</summary>
    public async Task<long> AllocatedBytesAsync(CancellationToken cancel)
    {
        JsonElement memory = await _http.GetFromJsonAsync<JsonElement>("/admin/debug/memory", cancel);
        return memory.GetProperty("ManagedAllocated").GetInt64();
    }

    /// <summary>The last collection of generation 2 of each kind, as the server tells it.</summary>
    public async Task<IReadOnlyList<Generation2Collection>> LastGeneration2CollectionsAsync(CancellationToken cancel)
    {
        JsonElement memory = await _http.GetFromJsonAsync<JsonElement>("/admin/debug/memory", cancel);
        return
        [
            .. memory
                .GetProperty("Generation2")
                .EnumerateArray()
                .Select(last => new Generation2Collection(last.GetProperty("Index").GetInt64(), last.GetProperty("PauseMs").GetDouble())),
        ];
    }

    /// <summary>Ends the process as a crash does (SIGKILL).</summary>
    public Task KillAsync() => _process.KillAsync();

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        await _process.DisposeAsync();
    }

    private Task CreateDatabaseAsync(CancellationToken cancel) => CreateDatabaseAsync(Database, cancel);

    /// <summary>Creates an empty database.</summary>
    public async Task CreateDatabaseAsync(string name, CancellationToken cancel)
    {
        using HttpResponseMessage answer = await _http.PutAsJsonAsync(
            $"/admin/databases?name={name}&replicationFactor=1",
            new { DatabaseName = name },
            cancel
        );
        await CheckAsync(answer, cancel);
    }

    private static async Task CheckAsync(HttpResponseMessage answer, CancellationToken cancel)
    {
        if (!answer.IsSuccessStatusCode)
            throw new IOException(
                $"{answer.RequestMessage?.RequestUri}: {(int)answer.StatusCode} {await answer.Content.ReadAsStringAsync(cancel)}"
            );
    }
}
