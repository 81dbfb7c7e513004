namespace Jackdaw.Server.Tests.Serving;

/// <summary>The network as an answer sees it: calls back before each write is taken, and can keep what was written.</summary>
internal sealed class AnswerStream(bool keeps, Func<int, Task>? writing = null) : Stream
{
    private readonly MemoryStream _kept = new();
    private long _length;

    public int Writes { get; private set; }

    public int LargestWrite { get; private set; }

    /// <summary>Is shown what was written.</summary>
    public SpanAction? Written { get; init; }

    public delegate void SpanAction(ReadOnlySpan<byte> bytes);

    public byte[] Kept => _kept.ToArray();

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => _length;

    public override long Position
    {
        get => _length;
        set => throw new NotSupportedException();
    }

    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Writes++;
        LargestWrite = Math.Max(LargestWrite, buffer.Length);
        if (writing is not null)
            await writing(Writes);
        cancellationToken.ThrowIfCancellationRequested();
        _length += buffer.Length;
        Written?.Invoke(buffer.Span);
        if (keeps)
            _kept.Write(buffer.Span);
    }

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override void Flush() { }

    public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) =>
        throw new InvalidOperationException("An answer must not be written synchronously.");
}
