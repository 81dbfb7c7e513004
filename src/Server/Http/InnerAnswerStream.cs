namespace Jackdaw.Server.Http;

/// <summary>Where the answer to one request of a multi_get is written to: a buffer, up to a limit.</summary>
internal sealed class InnerAnswerStream(ResponseBuffer buffer, long limitBytes) : Stream
{
    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => buffer.Length;

    public override long Position
    {
        get => buffer.Length;
        set => throw new NotSupportedException();
    }

    /// <exception cref="AnswerTooLargeException">The answer is larger than it may be.</exception>
    public override void Write(ReadOnlySpan<byte> bytes)
    {
        if (buffer.Length + bytes.Length > limitBytes)
            throw new AnswerTooLargeException(limitBytes);
        buffer.Write(bytes);
    }

    public override void Write(byte[] bytes, int offset, int count) => Write(bytes.AsSpan(offset, count));

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellation = default)
    {
        cancellation.ThrowIfCancellationRequested();
        Write(bytes.Span);
        return ValueTask.CompletedTask;
    }

    public override Task WriteAsync(byte[] bytes, int offset, int count, CancellationToken cancellation) =>
        WriteAsync(bytes.AsMemory(offset, count), cancellation).AsTask();

    public override void Flush() { }

    public override Task FlushAsync(CancellationToken cancellation) => Task.CompletedTask;

    public override int Read(byte[] bytes, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}
