using System.Text.Json;

namespace Jackdaw.Bench.Load;

/// <summary>Four requests that go over all documents of a database, each sent again as soon as it is answered.</summary>
internal sealed class ScanLoad : IAsyncDisposable
{
    private readonly HttpClient _http = new() { Timeout = Timeout.InfiniteTimeSpan };
    private readonly CancellationTokenSource _end = new();
    private readonly Task[] _loops;
    private readonly TaskCompletionSource[] _begun;
    private long _bytes;

    /// <param name="url">The server's.</param>
    /// <param name="database">Which has the documents.</param>
    /// <param name="documents">How many there are.</param>
    public ScanLoad(string url, string database, long documents)
    {
        string root = $"{url}/databases/{database}";
        string prefix = DocumentIds.Prefix;
        Func<HttpRequestMessage>[] requests =
        [
            () => new(HttpMethod.Get, $"{root}/docs"),
            () => new(HttpMethod.Get, $"{root}/docs?startsWith={prefix}&matches=*nothing*"),
            () => Query(root, $"from {DocumentBodies.Collection} where startsWith(id(), '{prefix}') limit 1"),
            () => Query(root, $"from @all_docs order by id() limit 1 offset {documents - 1}"),
        ];
        _begun = [.. requests.Select(_ => new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously))];
        _loops = [.. requests.Select((request, i) => Task.Run(() => LoopAsync(request, _begun[i])))];
    }

    /// <summary>Ends when each has been sent.</summary>
    public Task AllHaveBegunAsync(CancellationToken cancel) =>
        Task.WhenAny(Task.WhenAll(_begun.Select(begun => begun.Task)), Task.WhenAny(_loops)).WaitAsync(cancel);

    /// <summary>Ends the load; gives the bytes of all answers.</summary>
    /// <exception cref="HttpRequestException">A request was refused.</exception>
    public async Task<long> EndAsync()
    {
        await _end.CancelAsync();
        foreach (Task loop in _loops)
        {
            try
            {
                await loop;
            }
            catch (OperationCanceledException)
            {
                // Its last request was cut off by the end.
            }
        }
        return Interlocked.Read(ref _bytes);
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await Task.WhenAll(_loops).ContinueWith(_ => { }, TaskScheduler.Default);
        _http.Dispose();
        _end.Dispose();
    }

    private static HttpRequestMessage Query(string root, string query) =>
        new(HttpMethod.Post, $"{root}/queries") { Content = new StringContent(JsonSerializer.Serialize(new { Query = query })) };

    private async Task LoopAsync(Func<HttpRequestMessage> request, TaskCompletionSource begun)
    {
        byte[] buffer = new byte[64 << 10];
        while (true)
        {
            using HttpRequestMessage message = request();
            Task<HttpResponseMessage> sending = _http.SendAsync(message, HttpCompletionOption.ResponseHeadersRead, _end.Token);
            begun.TrySetResult();
            using HttpResponseMessage answer = await sending;
            answer.EnsureSuccessStatusCode();
            await using Stream body = await answer.Content.ReadAsStreamAsync(_end.Token);
            for (int read; (read = await body.ReadAsync(buffer, _end.Token)) > 0; )
                Interlocked.Add(ref _bytes, read);
        }
    }
}
