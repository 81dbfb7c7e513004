using System.IO.Pipelines;

namespace Jackdaw.Server.Http.Upgrading;

/// <summary>What HTTP reads of a connection. It completes the connection's own reader, unless the connection is handed over.</summary>
internal sealed class HttpInput(PipeReader inner, ConnectionHandover handover) : PipeReader
{
    public override bool TryRead(out ReadResult result) => inner.TryRead(out result);

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default) => inner.ReadAsync(cancellationToken);

    public override void AdvanceTo(SequencePosition consumed) => inner.AdvanceTo(consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) => inner.AdvanceTo(consumed, examined);

    public override void CancelPendingRead() => inner.CancelPendingRead();

    public override void Complete(Exception? exception = null)
    {
        if (!handover.IsRequested)
            inner.Complete(exception);
    }

    public override ValueTask CompleteAsync(Exception? exception = null) =>
        handover.IsRequested ? ValueTask.CompletedTask : inner.CompleteAsync(exception);

    protected override ValueTask<ReadResult> ReadAtLeastAsyncCore(int minimumSize, CancellationToken cancellationToken) =>
        inner.ReadAtLeastAsync(minimumSize, cancellationToken);
}
