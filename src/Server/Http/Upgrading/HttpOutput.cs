using System.IO.Pipelines;

namespace Jackdaw.Server.Http.Upgrading;

/// <summary>What HTTP writes of a connection. It completes the connection's own writer, unless the connection is handed over.</summary>
internal sealed class HttpOutput(PipeWriter inner, ConnectionHandover handover) : PipeWriter
{
    public override bool CanGetUnflushedBytes => inner.CanGetUnflushedBytes;

    public override long UnflushedBytes => inner.UnflushedBytes;

    public override Memory<byte> GetMemory(int sizeHint = 0) => inner.GetMemory(sizeHint);

    public override Span<byte> GetSpan(int sizeHint = 0) => inner.GetSpan(sizeHint);

    public override void Advance(int bytes) => inner.Advance(bytes);

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) => inner.FlushAsync(cancellationToken);

    public override ValueTask<FlushResult> WriteAsync(ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default) =>
        inner.WriteAsync(source, cancellationToken);

    public override void CancelPendingFlush() => inner.CancelPendingFlush();

    public override void Complete(Exception? exception = null)
    {
        if (!handover.IsRequested)
            inner.Complete(exception);
    }

    public override ValueTask CompleteAsync(Exception? exception = null) =>
        handover.IsRequested ? ValueTask.CompletedTask : inner.CompleteAsync(exception);
}
