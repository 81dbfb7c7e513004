using System.IO.Pipelines;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Server.Http;

/// <summary>
/// The body of a request, decompressed and given on piece by piece as it arrives, for bodies that are too large to be gathered. While a
/// piece is worked on nothing more is read, which slows the client down.
/// </summary>
internal static class StreamedBody
{
    private const int DecompressedPieceBytes = 64 * 1024;

    /// <summary>Reads to the end.</summary>
    /// <param name="request">Whose body.</param>
    /// <param name="limitBytes">Bytes of the body, decompressed, at most.</param>
    /// <param name="setting">The setting that raises the limit.</param>
    /// <param name="take">Given each piece, which is valid until its task ends.</param>
    /// <exception cref="BodyTooLargeException">The body is over the limit. Where its length is announced, no piece was given.</exception>
    /// <exception cref="UnsupportedEncodingException">It is compressed with something unknown.</exception>
    /// <exception cref="BadRequestException">It is compressed, and damaged.</exception>
    public static async Task ReadAsync(RequestContext request, long limitBytes, string setting, Func<ReadOnlyMemory<byte>, ValueTask> take)
    {
        var announced = request.Request.ContentLength;
        if (announced > limitBytes)
            throw new BodyTooLargeException(announced, limitBytes, setting);
        var counted = new CountedBody(limitBytes, announced, setting, take);
        await using var decompressing = BodyEncoding.Decompressing(request.Request);
        if (decompressing is null)
            await ReadPlainAsync(request.Request.BodyReader, counted, request.Aborted);
        else
            await ReadCompressedAsync(decompressing, counted, request);
    }

    private static async Task ReadPlainAsync(PipeReader reader, CountedBody counted, CancellationToken aborted)
    {
        while (true)
        {
            var read = await reader.ReadAsync(aborted);
            try
            {
                foreach (var segment in read.Buffer)
                    await counted.TakeAsync(segment);
            }
            finally
            {
                // Also when it is refused: a read that is not ended makes Kestrel break the connection, perhaps before the client
                // has read why.
                reader.AdvanceTo(read.Buffer.End);
            }
            if (read.IsCompleted)
                return;
        }
    }

    private static async Task ReadCompressedAsync(Stream stream, CountedBody counted, RequestContext request)
    {
        var piece = BytePool.Requests.Rent(DecompressedPieceBytes);
        try
        {
            int read;
            while ((read = await ReadPieceAsync(stream, piece, request)) > 0)
                await counted.TakeAsync(piece.AsMemory(0, read));
        }
        finally
        {
            BytePool.Requests.Return(piece);
        }
    }

    private static async ValueTask<int> ReadPieceAsync(Stream stream, byte[] piece, RequestContext request)
    {
        try
        {
            return await stream.ReadAsync(piece, request.Aborted);
        }
        catch (InvalidDataException e)
        {
            throw new BadRequestException($"The request body is not valid {request.Request.Headers.ContentEncoding}: {e.Message}", e);
        }
    }

    private sealed class CountedBody(long limitBytes, long? announced, string setting, Func<ReadOnlyMemory<byte>, ValueTask> take)
    {
        private long _bytes;

        public ValueTask TakeAsync(ReadOnlyMemory<byte> piece)
        {
            _bytes += piece.Length;
            return _bytes <= limitBytes ? take(piece) : throw new BodyTooLargeException(announced, limitBytes, setting);
        }
    }
}
