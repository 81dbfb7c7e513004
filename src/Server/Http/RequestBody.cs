using System.IO.Pipelines;
using Jackdaw.Server.Configuration;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Server.Http;

/// <summary>
/// The whole body of a request as one piece of memory: pooled when it is small, a staged file when it is large.
/// Dispose it when nothing refers to the bytes any more, that is after the merged operation was answered.
/// </summary>
internal sealed class RequestBody : IDisposable
{
    private byte[] _pooled = [];
    private int _length;
    private StagedFile? _file;
    private SemaphoreSlim? _largeRequests;

    private RequestBody() { }

    public ReadOnlyMemory<byte> Bytes => _file?.Memory ?? _pooled.AsMemory(0, _length);

    /// <summary>Reads to the end, decompressing gzip and zstd.</summary>
    /// <exception cref="BodyTooLargeException">The body, decompressed, is over the limit.</exception>
    /// <exception cref="StagingFullException">It is large, and others leave no room for it.</exception>
    /// <exception cref="UnsupportedEncodingException">It is compressed with something else.</exception>
    public static async ValueTask<RequestBody> ReadAsync(RequestContext request)
    {
        var configuration = request.Server.Configuration;
        var announced = request.Request.ContentLength;
        if (announced > configuration.Limits.MaxRequestBodyBytes)
            throw new BodyTooLargeException(announced, configuration.Limits.MaxRequestBodyBytes, KnownSettings.MaxRequestBodyMb);
        var body = new RequestBody();
        try
        {
            await using (var decompressing = BodyEncoding.Decompressing(request.Request))
            {
                if (decompressing is not null)
                    await body.ReadCompressedAsync(decompressing, request);
                else
                    await body.ReadPlainAsync(request, announced);
            }
            if (body._file is { } file)
                await body.TakeTurnAsync(file, request);
            return body;
        }
        catch
        {
            body.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        if (_pooled.Length > 0)
            BytePool.Requests.Return(_pooled);
        _pooled = [];
        _length = 0;
        ((IDisposable?)_file)?.Dispose();
        _file = null;
        _largeRequests?.Release();
        _largeRequests = null;
    }

    /// <summary>
    /// Few large bodies are worked on at a time. They wait for it when they have arrived whole: one that trickles in holds up nobody.
    /// </summary>
    private async ValueTask TakeTurnAsync(StagedFile file, RequestContext request)
    {
        await request.Server.LargeRequests.WaitAsync(request.Aborted);
        _largeRequests = request.Server.LargeRequests;
        file.Seal();
    }

    private async ValueTask ReadPlainAsync(RequestContext request, long? announced)
    {
        if (announced is > 0 && announced <= request.Server.Configuration.StagingThresholdBytes)
            _pooled = BytePool.Requests.Rent((int)announced.Value);
        var reader = request.Request.BodyReader;
        while (true)
        {
            var read = await reader.ReadAsync();
            try
            {
                foreach (var segment in read.Buffer)
                    if (!TryAppendInMemory(segment.Span, request.Server.Configuration.StagingThresholdBytes))
                        await AppendToFileAsync(segment, request);
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

    private async ValueTask ReadCompressedAsync(Stream stream, RequestContext request)
    {
        var piece = BytePool.Requests.Rent(64 * 1024);
        try
        {
            int read;
            while ((read = await stream.ReadAsync(piece, request.Aborted)) > 0)
                if (!TryAppendInMemory(piece.AsSpan(0, read), request.Server.Configuration.StagingThresholdBytes))
                    await AppendToFileAsync(piece.AsMemory(0, read), request);
        }
        catch (InvalidDataException e)
        {
            throw new BadRequestException($"The request body is not valid {request.Request.Headers.ContentEncoding}: {e.Message}", e);
        }
        finally
        {
            BytePool.Requests.Return(piece);
        }
    }

    private bool TryAppendInMemory(ReadOnlySpan<byte> bytes, int thresholdBytes)
    {
        if (_file is not null || _length + bytes.Length > thresholdBytes)
            return false;
        if (_pooled.Length - _length < bytes.Length)
        {
            var larger = BytePool.Requests.Rent(Math.Max(_length + bytes.Length, Math.Min(2 * _pooled.Length, thresholdBytes)));
            _pooled.AsSpan(0, _length).CopyTo(larger);
            if (_pooled.Length > 0)
                BytePool.Requests.Return(_pooled);
            _pooled = larger;
        }
        bytes.CopyTo(_pooled.AsSpan(_length));
        _length += bytes.Length;
        return true;
    }

    private async ValueTask AppendToFileAsync(ReadOnlyMemory<byte> bytes, RequestContext request)
    {
        var configuration = request.Server.Configuration;
        if (_file is null)
        {
            _file = StagedFile.Create(request.Server.StagingDirectory, request.Server.StagingSpace);
            await _file.AppendAsync(_pooled.AsMemory(0, _length), request.Aborted);
        }
        if (_file.Length + bytes.Length > configuration.Limits.MaxRequestBodyBytes)
            throw new BodyTooLargeException(
                request.Request.ContentLength,
                configuration.Limits.MaxRequestBodyBytes,
                KnownSettings.MaxRequestBodyMb
            );
        await _file.AppendAsync(bytes, request.Aborted);
    }
}
