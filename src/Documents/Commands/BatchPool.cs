namespace Jackdaw.Documents.Commands;

/// <summary>Batches between two uses.</summary>
internal static class BatchPool
{
    private const int KeptBatches = 256;

    private static readonly Lock s_lock = new();
    private static readonly Stack<BatchOperation> s_batches = new(KeptBatches);

    public static BatchOperation? TryTake()
    {
        lock (s_lock)
            return s_batches.TryPop(out var batch) ? batch : null;
    }

    public static void Give(BatchOperation batch)
    {
        lock (s_lock)
        {
            if (s_batches.Count < KeptBatches)
                s_batches.Push(batch);
        }
    }
}
