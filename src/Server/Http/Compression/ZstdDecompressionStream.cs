using System.Buffers;

namespace Jackdaw.Server.Http.Compression;

/// <summary>
/// Decompresses what it reads, frame after frame. Gives what it has as soon as it has something, so that a slow sender is read as it
/// sends.
/// </summary>
internal sealed class ZstdDecompressionStream : Stream
{
    /// <summary>
    /// Frames may need a window of 8 MB, what RFC 9659 lets a server expect of any receiver. A frame decides by its header how much
    /// memory it takes to read it, and a stranger writes that header.
    /// </summary>
    private const int WindowLogMax = 23;

    private const int InputBytes = 32 * 1024;

    private readonly Stream _inner;
    private readonly ZstdContext _decompressor = ZstdContext.Decompressor(WindowLogMax);
    private byte[] _input = ArrayPool<byte>.Shared.Rent(InputBytes);
    private int _inputStart;
    private int _inputEnd;
    private bool _isInFrame;
    private bool _mayHoldOutput;

    /// <param name="inner">Where from; it is left open.</param>
    public ZstdDecompressionStream(Stream inner) => _inner = inner;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidDataException">The input is damaged, is not zstd, needs too large a window, or ends inside a
    /// frame.</exception>
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        while (!buffer.IsEmpty)
        {
            if (_inputStart < _inputEnd || _mayHoldOutput)
            {
                var produced = Step(buffer.Span);
                if (produced > 0)
                    return produced;
                continue;
            }
            _inputStart = 0;
            _inputEnd = await _inner.ReadAsync(_input, cancellationToken);
            if (_inputEnd == 0)
                return _isInFrame ? throw new InvalidDataException("the body ends inside a frame") : 0;
        }
        return 0;
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException("Read it asynchronously.");

    public override void Flush()
    {
        // There is nothing to flush in what is only read.
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing && _input.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_input);
            _input = [];
            _decompressor.Dispose();
        }
        base.Dispose(disposing);
    }

    private int Step(Span<byte> output)
    {
        ObjectDisposedException.ThrowIf(_input.Length == 0, this);
        _isInFrame = ZstdLibrary.Decompress(
            _decompressor.DangerousGetHandle(),
            _input.AsSpan(_inputStart, _inputEnd - _inputStart),
            output,
            out var consumed,
            out var produced
        );
        _inputStart += consumed;
        _mayHoldOutput = _isInFrame && produced == output.Length;
        if (consumed == 0 && produced == 0 && _inputStart < _inputEnd)
            throw new InvalidDataException("the body makes no progress");
        return produced;
    }
}
