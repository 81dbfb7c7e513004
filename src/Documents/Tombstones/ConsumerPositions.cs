namespace Jackdaw.Documents.Tombstones;

/// <summary>
/// Everyone who reads a database forward by etag and must see its deletions (indexes, tasks). A tombstone is removed when every enabled one has passed it. A consumer
/// registers before the database's cleaner first runs, and keeps its own position durably itself. Thread-safe.
/// </summary>
public sealed class ConsumerPositions
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, ConsumerPosition> _consumers = new(StringComparer.OrdinalIgnoreCase);

    /// <param name="clock">Measures how long a consumer has been disabled.</param>
    internal ConsumerPositions(TimeProvider clock) => Clock = clock;

    /// <summary>How long the tombstones of a disabled consumer are kept for it.</summary>
    public static TimeSpan HeldForDisabled { get; } = TimeSpan.FromHours(24);

    internal TimeProvider Clock { get; }

    /// <summary>Adds a consumer that has seen everything up to <paramref name="etag"/>. The name must be new.</summary>
    public ConsumerPosition Register(string name, long etag)
    {
        var position = new ConsumerPosition(this, name, etag);
        lock (_lock)
            _consumers.Add(name, position);
        return position;
    }

    /// <summary>The lowest position of those that hold tombstones; <see cref="long.MaxValue"/> when there are none.</summary>
    internal long Lowest()
    {
        long lowest = long.MaxValue;
        lock (_lock)
        {
            foreach (var position in _consumers.Values)
            {
                if (position.Holds())
                    lowest = Math.Min(lowest, position.Etag);
            }
        }
        return lowest;
    }

    internal void Remove(ConsumerPosition position)
    {
        lock (_lock)
            _consumers.Remove(position.Name);
    }
}
