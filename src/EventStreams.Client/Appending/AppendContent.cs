using System.Net;

namespace Jackdaw.EventStreams.Client.Appending;

/// <summary>The body of a request that joins groups of several appends, without copying them together.</summary>
internal sealed class AppendContent(IReadOnlyList<ReadOnlyMemory<byte>> groups) : HttpContent
{
    private static readonly ReadOnlyMemory<byte> Head = "{\"groups\":["u8.ToArray();
    private static readonly ReadOnlyMemory<byte> Comma = ","u8.ToArray();
    private static readonly ReadOnlyMemory<byte> Tail = "]}"u8.ToArray();

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        await stream.WriteAsync(Head, cancellationToken);
        for (var i = 0; i < groups.Count; i++)
        {
            if (i > 0)
                await stream.WriteAsync(Comma, cancellationToken);
            await stream.WriteAsync(groups[i], cancellationToken);
        }
        await stream.WriteAsync(Tail, cancellationToken);
    }

    protected override bool TryComputeLength(out long length)
    {
        length = Head.Length + Tail.Length + groups.Count - 1;
        for (var i = 0; i < groups.Count; i++)
            length += groups[i].Length;
        return true;
    }
}
