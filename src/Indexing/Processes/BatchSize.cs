using Jackdaw.Storage;

namespace Jackdaw.Indexing.Processes;

/// <summary>
/// How large an index's next batch may become, so that its transaction stays well below the largest one. How many pages a batch changes
/// depends on the index more than on the batch: distinct values in random order change a leaf each once there are more leaves than values.
/// So the size follows from what the batches before have changed.
/// </summary>
internal sealed class BatchSize
{
    /// <summary>The first batch tells what the index is like. With a distinct value in each document it changes about as much as a batch
    /// should; more would be lost with one that is too large.</summary>
    public const long FirstBytes = 8L << 20;

    /// <summary>A batch is to take one part in so many of the largest transaction.</summary>
    private const int PartOfTransaction = 2;

    /// <summary>A batch that takes less than one part in so many of that tells little: most of its pages are changed by every
    /// batch.</summary>
    private const int TellingPart = 16;

    private const int Growth = 8;
    private const int Shrinkage = 4;

    /// <summary>Memory at which a batch ends, in bytes of <see cref="Contents.IIndexBatch.Bytes"/>.</summary>
    public long MostBytes { get; private set; } = FirstBytes;

    /// <summary>
    /// Returns the memory at which a batch ends while there is room for so much scratch. Where that is less than a full batch takes, the
    /// batch is smaller in proportion, down to a quarter.
    /// </summary>
    public long MostBytesIn(long scratchRoomBytes, long maxTransactionBytes)
    {
        Invariant.Require(scratchRoomBytes >= 0 && maxTransactionBytes > 0);
        double share = Math.Clamp((double)scratchRoomBytes * PartOfTransaction / maxTransactionBytes, 0.25, 1);
        return Math.Max(1, (long)(MostBytes * share));
    }

    /// <summary>A batch was applied.</summary>
    /// <param name="batchBytes">Its memory.</param>
    /// <param name="scratchBytes">The pages that its transaction changed.</param>
    /// <param name="maxTransactionBytes">Those that it might have changed.</param>
    public void Applied(long batchBytes, long scratchBytes, long maxTransactionBytes)
    {
        Invariant.Require(batchBytes >= 0 && scratchBytes >= 0 && maxTransactionBytes > 0);
        long wanted = maxTransactionBytes / PartOfTransaction;
        // Twice the values change less than twice the pages: the estimate errs towards smaller batches, and the next one is better.
        if (scratchBytes >= wanted / TellingPart)
            MostBytes = Math.Max(1, (long)((double)batchBytes * wanted / scratchBytes));
        else if (batchBytes >= MostBytes / 2)
            MostBytes = batchBytes * Growth;
    }

    /// <summary>A batch did not fit into a transaction.</summary>
    public void Refused(long batchBytes) => MostBytes = Math.Max(1, Math.Min(MostBytes, batchBytes) / Shrinkage);
}
