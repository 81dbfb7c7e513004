using System.Buffers.Text;
using System.Diagnostics;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.Load;

/// <summary>
/// PUTs of orders over a number of connections, half of them new ones and half of them replacing one that is there: at a steady rate, or
/// each as soon as the one before is answered. At a steady rate a latency counts from the moment at which the PUT was due, so a server
/// that falls behind cannot hide it.
/// </summary>
/// <param name="Url">Scheme, host and port.</param>
/// <param name="Database">In the route.</param>
/// <param name="Connections">Open at once.</param>
/// <param name="Rate">PUTs a second, all connections together; null: as many as are answered.</param>
/// <param name="Loaded">Orders <c>items/0</c>, ... that are there.</param>
internal sealed record OrderPuts(string Url, string Database, int Connections, double? Rate, long Loaded)
{
    private readonly OrderBodies _bodies = new();
    private readonly Uri _url = new(Url);

    /// <param name="firstNew">The number of the first new order. Each call takes the numbers from there on, so the next one must begin
    /// higher, by as many as were acknowledged or more.</param>
    /// <param name="duration">How long.</param>
    /// <param name="cancel">Ends early.</param>
    /// <exception cref="IOException">An answer was an error or a connection ended.</exception>
    public async Task<OrderPutsResult> RunAsync(long firstNew, TimeSpan duration, CancellationToken cancel)
    {
        long start = Stopwatch.GetTimestamp();
        long next = firstNew;
        Connection[] connections =
        [
            .. await Task.WhenAll(
                Enumerable
                    .Range(0, Connections)
                    .Select(c => Task.Run(() => SendAsync(c, start, duration, () => Interlocked.Increment(ref next) - 1, cancel), cancel))
            ),
        ];
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        AcknowledgedWrite[] writes = [.. connections.SelectMany(c => c.Writes).OrderBy(write => write.Etag)];
        return new OrderPutsResult(LatencyHistogram.Merge(connections.Select(c => c.Latencies)), seconds, writes, start, next);
    }

    private async Task<Connection> SendAsync(int index, long start, TimeSpan duration, Func<long> nextNew, CancellationToken cancel)
    {
        var random = new Random(index);
        var mine = new Connection(new LatencyHistogram(), []);
        byte[] body = new byte[_bodies.LongestBody];
        using RawHttpConnection open = await RawHttpConnection.OpenAsync(Url, cancel);
        for (long n = 0; ; n++)
        {
            long due = Stopwatch.GetTimestamp();
            if (Rate is { } rate)
            {
                // Connections take turns: this one has one PUT of each round.
                due = start + (long)((n * Connections + index) / rate * Stopwatch.Frequency);
                await WaitUntilAsync(due, cancel);
            }
            if (Stopwatch.GetElapsedTime(start, due) >= duration)
                return mine;
            long number = (n & 1) == 0 ? nextNew() : random.NextInt64(Loaded);
            int length = _bodies.WriteBody(number, body);
            byte[] request = RequestBytes.Put(_url, $"/databases/{Database}/docs?id=items%2F{number}", body.AsSpan(0, length));
            int status = await open.SendAsync(request, cancel);
            long now = Stopwatch.GetTimestamp();
            if (status is < 200 or > 299)
                throw new IOException($"the server answered {status} to a PUT of items/{number}");
            mine.Latencies.Record((long)Stopwatch.GetElapsedTime(due, now).TotalNanoseconds);
            mine.Writes.Add(new AcknowledgedWrite(EtagOf(open.Answer), now));
        }
    }

    /// <summary>The number in the first change vector of an answer: <c>A:17-…</c>.</summary>
    internal static long EtagOf(ReadOnlySpan<byte> answer)
    {
        int at = answer.IndexOf("\"A:"u8);
        return at >= 0 && Utf8Parser.TryParse(answer[(at + 3)..], out long etag, out _)
            ? etag
            : throw new IOException("a PUT was answered without a change vector");
    }

    private static async ValueTask WaitUntilAsync(long due, CancellationToken cancel)
    {
        // A timer is up to a millisecond late, with and without indexes. It may also be early, which no PUT may be.
        while (Stopwatch.GetElapsedTime(Stopwatch.GetTimestamp(), due) is var left && left > TimeSpan.Zero)
            await Task.Delay(left < s_shortestWait ? s_shortestWait : left, cancel);
    }

    private static readonly TimeSpan s_shortestWait = TimeSpan.FromMilliseconds(1);

    private sealed record Connection(LatencyHistogram Latencies, List<AcknowledgedWrite> Writes);
}
