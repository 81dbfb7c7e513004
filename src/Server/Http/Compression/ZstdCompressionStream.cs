using System.Buffers;

namespace Jackdaw.Server.Http.Compression;

/// <summary>
/// Compresses what is written to it as one frame. <see cref="FlushAsync"/> passes on everything so far, <see cref="DisposeAsync"/>
/// ends the frame; <see cref="Stream.Dispose()"/> alone frees the memory and leaves the frame unended.
/// </summary>
internal sealed class ZstdCompressionStream : Stream
{
    /// <summary>The fastest: answers are compressed once, and read once.</summary>
    private const int Level = 1;

    /// <summary>A window of 128 KB: a compressor takes less than 1 MB, and a client hardly more than the window.</summary>
    private const int WindowLog = 17;

    private const int OutputBytes = 32 * 1024;

    private readonly Stream _inner;
    private readonly ZstdContext _compressor;
    private byte[] _output = ArrayPool<byte>.Shared.Rent(OutputBytes);

    /// <param name="inner">Where to; it is left open.</param>
    /// <param name="size">Bytes that will be written, where that is known.</param>
    public ZstdCompressionStream(Stream inner, long? size = null)
    {
        _inner = inner;
        _compressor = ZstdContext.Compressor(Level, WindowLog, size);
    }

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        while (!buffer.IsEmpty)
        {
            Step(buffer.Span, ZstdDirective.Continue, out var consumed, out var produced);
            await PassOnAsync(produced, cancellationToken);
            buffer = buffer[consumed..];
        }
    }

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override async Task FlushAsync(CancellationToken cancellationToken)
    {
        await FinishAsync(ZstdDirective.Flush, cancellationToken);
        await _inner.FlushAsync(cancellationToken);
    }

    public override async ValueTask DisposeAsync()
    {
        if (_output.Length > 0)
            await FinishAsync(ZstdDirective.End, default);
        await base.DisposeAsync();
    }

    public override void Flush() => throw new NotSupportedException("Flush it asynchronously.");

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException("Write to it asynchronously.");

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing && _output.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_output);
            _output = [];
            _compressor.Dispose();
        }
        base.Dispose(disposing);
    }

    private async ValueTask FinishAsync(ZstdDirective directive, CancellationToken cancellation)
    {
        bool isDone;
        do
        {
            isDone = Step(default, directive, out _, out var produced) == 0;
            await PassOnAsync(produced, cancellation);
        } while (!isDone);
    }

    private nuint Step(ReadOnlySpan<byte> input, ZstdDirective directive, out int consumed, out int produced)
    {
        ObjectDisposedException.ThrowIf(_output.Length == 0, this);
        return ZstdLibrary.Compress(_compressor.DangerousGetHandle(), input, _output, directive, out consumed, out produced);
    }

    private ValueTask PassOnAsync(int produced, CancellationToken cancellation) =>
        produced == 0 ? ValueTask.CompletedTask : _inner.WriteAsync(_output.AsMemory(0, produced), cancellation);
}
