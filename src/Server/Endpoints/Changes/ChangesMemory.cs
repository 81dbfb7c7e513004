namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>What waits for all clients of the server together, and how much was lost. Thread-safe.</summary>
internal sealed class ChangesMemory(long maxBytes)
{
    private long _taken;
    private long _lost;

    /// <summary>Bytes of notifications that wait.</summary>
    public long TakenBytes => Interlocked.Read(ref _taken);

    /// <summary>Notifications that were dropped because a client did not read.</summary>
    public long Lost => Interlocked.Read(ref _lost);

    /// <summary>Takes room for a notification; false when there is none.</summary>
    public bool TryTake(int bytes)
    {
        if (Interlocked.Add(ref _taken, bytes) <= maxBytes)
            return true;
        Interlocked.Add(ref _taken, -bytes);
        return false;
    }

    /// <summary>What was taken goes back.</summary>
    public void GiveBack(int bytes) => Interlocked.Add(ref _taken, -bytes);

    /// <summary>A notification was dropped.</summary>
    public void CountLost() => Interlocked.Increment(ref _lost);
}
