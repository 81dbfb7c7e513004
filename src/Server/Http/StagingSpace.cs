namespace Jackdaw.Server.Http;

/// <summary>The disk space that staged request bodies take together, counted as their bytes arrive. Thread-safe.</summary>
internal sealed class StagingSpace(long limitBytes)
{
    private long _takenBytes;

    public long TakenBytes => Interlocked.Read(ref _takenBytes);

    /// <exception cref="StagingFullException">There is no room for so many; nothing is taken then.</exception>
    public void Take(long bytes)
    {
        if (Interlocked.Add(ref _takenBytes, bytes) <= limitBytes)
            return;
        Return(bytes);
        throw new StagingFullException(limitBytes);
    }

    public void Return(long bytes) => Interlocked.Add(ref _takenBytes, -bytes);
}
