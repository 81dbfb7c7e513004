using System.Buffers.Text;
using System.Net;
using System.Net.Http.Headers;

namespace Jackdaw.Bench.Load;

/// <summary>
/// The body of a bulk insert: one JSON array of PUT commands, sent in chunks of about 128 KB while it is made.
/// </summary>
internal sealed class BulkInsertContent : HttpContent
{
    private const int ChunkSize = 128 << 10;
    private const int LongestHead = 256;
    private readonly IBodies _bodies;
    private readonly byte[] _head;
    private readonly long _first;
    private readonly long _count;
    private readonly CancellationToken _endEarly;

    /// <param name="bodies">The documents.</param>
    /// <param name="idPrefix">Ids are the prefix followed by the number.</param>
    /// <param name="first">The first number.</param>
    /// <param name="count">How many at most.</param>
    /// <param name="endEarly">Ends the array, properly, before the count is reached.</param>
    public BulkInsertContent(IBodies bodies, string idPrefix, long first, long count, CancellationToken endEarly)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        _bodies = bodies;
        _head = System.Text.Encoding.UTF8.GetBytes($",{{\"Id\":\"{idPrefix}");
        _first = first;
        _count = count;
        _endEarly = endEarly;
        Headers.ContentType = new MediaTypeHeaderValue("application/json");
    }

    /// <summary>Commands written so far.</summary>
    public long Sent { get; private set; }

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        byte[] chunk = new byte[ChunkSize + LongestHead + _bodies.LongestBody];
        int used = 0;
        for (Sent = 0; Sent < _count && (Sent == 0 || !_endEarly.IsCancellationRequested); Sent++)
        {
            used += WriteCommand(chunk.AsSpan(used), _first + Sent, isFirst: Sent == 0);
            if (used < ChunkSize)
                continue;
            await stream.WriteAsync(chunk.AsMemory(0, used), cancellationToken);
            used = 0;
        }
        chunk[used++] = (byte)']';
        await stream.WriteAsync(chunk.AsMemory(0, used), cancellationToken);
    }

    protected override bool TryComputeLength(out long length)
    {
        length = 0;
        return false;
    }

    private int WriteCommand(Span<byte> chunk, long number, bool isFirst)
    {
        _head.CopyTo(chunk);
        if (isFirst)
            chunk[0] = (byte)'[';
        int used = _head.Length;
        if (!Utf8Formatter.TryFormat(number, chunk[used..], out int digits))
            throw new InvalidOperationException("a command is longer than planned");
        used += digits;
        "\",\"Type\":\"PUT\",\"Document\":"u8.CopyTo(chunk[used..]);
        used += "\",\"Type\":\"PUT\",\"Document\":"u8.Length;
        used += _bodies.WriteBody(number, chunk[used..]);
        chunk[used++] = (byte)'}';
        return used;
    }
}
