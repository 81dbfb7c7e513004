using System.Text;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.EventBenchmarks;

/// <summary>Live reads of one stream each, whose lines are counted and thrown away.</summary>
internal sealed class OpenLiveReads(ServerUnderTest server) : IAsyncDisposable
{
    private const int OpenedAtOnce = 50;
    private readonly CancellationTokenSource _end = new();
    private readonly List<Task> _reads = [];
    private long _events;

    /// <summary>Events that came to any of them so far.</summary>
    public long Events => Interlocked.Read(ref _events);

    /// <summary>Ends when each of them has its first line.</summary>
    public async Task StartAsync(IEnumerable<string> streams, CancellationToken cancel)
    {
        foreach (string[] some in streams.Chunk(OpenedAtOnce))
        {
            Stream[] answers = await Task.WhenAll(
                some.Select(stream => server.OpenLiveAsync($"stream={Uri.EscapeDataString(stream)}", _end.Token).WaitAsync(cancel))
            );
            TaskCompletionSource[] begun =
            [
                .. answers.Select(_ => new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)),
            ];
            _reads.AddRange(answers.Select((answer, i) => ReadAsync(answer, begun[i])));
            await Task.WhenAll(begun.Select(one => one.Task)).WaitAsync(cancel);
        }
    }

    /// <exception cref="IOException">One of them has ended.</exception>
    public void RequireAllOpen()
    {
        if (_reads.Find(read => read.IsCompleted) is { } ended)
            throw new IOException("a live read ended meanwhile", ended.Exception);
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await Task.WhenAll(_reads).ContinueWith(_ => { }, TaskScheduler.Default);
        _end.Dispose();
    }

    private async Task ReadAsync(Stream answer, TaskCompletionSource begun)
    {
        await using (answer)
        {
            byte[] buffer = new byte[4 << 10];
            for (int read; (read = await answer.ReadAsync(buffer, _end.Token)) > 0; )
            {
                begun.TrySetResult();
                Interlocked.Add(ref _events, buffer.AsSpan(0, read).Count("{\"position\":"u8));
            }
        }
        throw new IOException("the server ended a live read");
    }
}
