using System.Buffers.Text;
using System.Net;
using System.Net.Http.Headers;

namespace Jackdaw.Bench.Load;

/// <summary>
/// The body of a bulk insert: one JSON array of PUT commands, sent in chunks of about 128 KB while it is made.
/// </summary>
/// <param name="bodies">The documents.</param>
/// <param name="idPrefix">Ids are the prefix followed by the number.</param>
/// <param name="first">The first number.</param>
/// <param name="count">How many.</param>
internal sealed class BulkInsertContent : HttpContent
{
    private const int ChunkSize = 128 << 10;
    private const int LongestCommand = 256 + DocumentBodies.Size;
    private readonly DocumentBodies _bodies;
    private readonly byte[] _head;
    private readonly long _first;
    private readonly long _count;

    public BulkInsertContent(DocumentBodies bodies, string idPrefix, long first, long count)
    {
        _bodies = bodies;
        _head = System.Text.Encoding.UTF8.GetBytes($",{{\"Id\":\"{idPrefix}");
        _first = first;
        _count = count;
        Headers.ContentType = new MediaTypeHeaderValue("application/json");
    }

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) => SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        byte[] chunk = new byte[ChunkSize + LongestCommand];
        int used = 0;
        for (long i = 0; i < _count; i++)
        {
            used += WriteCommand(chunk.AsSpan(used), _first + i, isFirst: i == 0);
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
        _bodies.Write(number, chunk.Slice(used, DocumentBodies.Size));
        used += DocumentBodies.Size;
        chunk[used++] = (byte)'}';
        return used;
    }
}
