using System.Buffers.Text;
using System.Diagnostics;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>Looks again and again how far all indexes of the database are. The interval between two looks is a part of each lag.</summary>
internal sealed class IndexLagMeter(string url)
{
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(2);

    private readonly List<IndexPosition> _positions = [];

    /// <summary>By time.</summary>
    public IReadOnlyList<IndexPosition> Positions => _positions;

    /// <summary>Looks until <paramref name="lastEtag"/> is known and all indexes have it.</summary>
    public async Task RunAsync(Task<long> lastEtag, CancellationToken cancel)
    {
        using RawHttpConnection open = await RawHttpConnection.OpenAsync(url, cancel);
        byte[] request = RequestBytes.Get(new Uri(url), $"/databases/{ServerUnderTest.Database}/indexes/stats");
        do
        {
            int status = await open.SendAsync(request, cancel);
            if (status != 200)
                throw new IOException($"the server answered {status} to a request for the indexes' statistics");
            _positions.Add(new IndexPosition(LowestPosition(open.Answer), Stopwatch.GetTimestamp()));
            await Task.Delay(s_interval, cancel);
        } while (!lastEtag.IsCompleted || _positions[^1].Etag < await lastEtag);
    }

    /// <summary>The lowest <c>Position</c> of all indexes in an answer of <c>/indexes/stats</c>.</summary>
    internal static long LowestPosition(ReadOnlySpan<byte> answer)
    {
        long lowest = long.MaxValue;
        ReadOnlySpan<byte> name = "\"Position\":"u8;
        for (int at; (at = answer.IndexOf(name)) >= 0; )
        {
            answer = answer[(at + name.Length)..];
            if (!Utf8Parser.TryParse(answer, out long position, out _))
                throw new IOException("the position of an index is not a number");
            lowest = Math.Min(lowest, position);
        }
        return lowest < long.MaxValue ? lowest : throw new IOException("the server told the position of no index");
    }
}
