namespace Jackdaw.Documents.Tombstones;

/// <summary>See <see cref="ConsumerPositions.HoldCleaning"/>.</summary>
internal sealed class CleaningHold(ConsumerPositions consumers) : IDisposable
{
    private int _hasEnded;

    public void Dispose()
    {
        if (Interlocked.Exchange(ref _hasEnded, 1) == 0)
            consumers.EndHold();
    }
}
