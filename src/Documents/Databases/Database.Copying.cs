using Jackdaw.Storage.Disk;

namespace Jackdaw.Documents;

/// <summary>Copying the database while it is read and written.</summary>
public sealed partial class Database
{
    /// <summary>
    /// Copies onto an empty disk, on the calling thread, until it is complete and durable there. Returns the transaction that the
    /// copy opens at. A database that is being closed
    /// does not wait for the copy: it ends with a <see cref="Errors.DatabaseUnavailableException"/>, as it does with
    /// <see cref="OperationCanceledException"/> when it is cancelled.
    /// </summary>
    /// <param name="target">Is disposed of by the caller.</param>
    /// <param name="progressed">Bytes copied so far, and bytes known to be copied in all; after each megabyte.</param>
    /// <param name="cancellation">Ends the copy between two megabytes.</param>
    internal long CopyTo(IDisk target, Action<long, long> progressed, CancellationToken cancellation)
    {
        if (!_uses.TryEnter())
            throw Unavailable();
        try
        {
            using var copy = _host.Storage.BeginCopy(target);
            while (copy.Step())
            {
                cancellation.ThrowIfCancellationRequested();
                if (Volatile.Read(ref _unavailable) is not null)
                    throw Unavailable();
                progressed(copy.Progress.Copied, copy.Progress.Total);
            }
            progressed(copy.Progress.Copied, copy.Progress.Total);
            return copy.TransactionId;
        }
        finally
        {
            _uses.Leave();
        }
    }
}
