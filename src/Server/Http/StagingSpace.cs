namespace Jackdaw.Server.Http;

/// <summary>The disk space that staged files of one kind take together, counted as their bytes arrive. Thread-safe.</summary>
/// <param name="limitBytes">What they may take.</param>
/// <param name="refusal">Makes the error of one that finds no room; given the limit.</param>
internal sealed class StagingSpace(long limitBytes, Func<long, StagingFullException> refusal)
{
    private long _takenBytes;

    public long TakenBytes => Interlocked.Read(ref _takenBytes);

    /// <exception cref="StagingFullException">There is no room for so many; nothing is taken then.</exception>
    public void Take(long bytes)
    {
        if (Interlocked.Add(ref _takenBytes, bytes) <= limitBytes)
            return;
        Return(bytes);
        throw refusal(limitBytes);
    }

    public void Return(long bytes) => Interlocked.Add(ref _takenBytes, -bytes);
}
