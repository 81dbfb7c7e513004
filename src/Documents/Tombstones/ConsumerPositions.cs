using Jackdaw.Storage;

namespace Jackdaw.Documents.Tombstones;

/// <summary>
/// Everyone who reads a database forward by etag and must see its deletions (indexes, tasks). A tombstone is removed when every
/// enabled one that wants its collection has passed it. A consumer registers while cleaning is held (<see cref="HoldCleaning"/>;
/// it is held while a database opens), and keeps its own position durably itself. A tombstone that has grown old
/// (<c>Tombstones.MaxAgeInDays</c>) goes all the same. What a consumer misses by that, or by being disabled for long, is noted
/// durably (<see cref="DeletionGap"/>). Thread-safe.
/// </summary>
public sealed class ConsumerPositions
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, ConsumerPosition> _consumers = new(StringComparer.OrdinalIgnoreCase);
    private int _holds;
    private long _version;

    /// <param name="clock">Measures how long a consumer has been disabled.</param>
    internal ConsumerPositions(TimeProvider clock) => Clock = clock;

    /// <summary>How long the tombstones of a disabled consumer are kept for it.</summary>
    public static TimeSpan HeldForDisabled { get; } = TimeSpan.FromHours(24);

    internal TimeProvider Clock { get; }

    /// <summary>Told that a consumer has moved on or is no more, on its thread: tombstones may have become removable.</summary>
    internal Action? Moved { get; set; }

    /// <summary>Grows with everything that may make a tombstone removable.</summary>
    internal long Version => Interlocked.Read(ref _version);

    /// <summary>Cleaning is held (<see cref="HoldCleaning"/>).</summary>
    internal bool IsHeld
    {
        get
        {
            lock (_lock)
                return _holds > 0;
        }
    }

    /// <summary>Adds a consumer that has seen everything up to <paramref name="etag"/>. The name must be new.</summary>
    /// <param name="name">Names it in what is noted of it.</param>
    /// <param name="etag">Where it is.</param>
    /// <param name="wants">Whether a collection's deletions are of any interest to it; null: each is.</param>
    public ConsumerPosition Register(string name, long etag, Func<string, bool>? wants = null)
    {
        var position = new ConsumerPosition(this, name, etag, wants);
        lock (_lock)
            _consumers.Add(name, position);
        return position;
    }

    /// <summary>
    /// Nothing is cleaned until the result is disposed of, neither what all have seen nor what has aged: consumers are about to
    /// register, or one is being replaced by its next version. A cleaning that was begun before may still end.
    /// </summary>
    public IDisposable HoldCleaning()
    {
        lock (_lock)
            _holds++;
        return new CleaningHold(this);
    }

    /// <summary>Where each is, and whether it holds tombstones; null while cleaning is held.</summary>
    internal IReadOnlyList<ConsumerPlace>? Places()
    {
        lock (_lock)
        {
            return _holds > 0
                ? null
                : _consumers
                    .Values.Select(position => new ConsumerPlace(position.Name, position.Etag, position.Wants, position.Holds()))
                    .ToArray();
        }
    }

    internal void EndHold()
    {
        lock (_lock)
        {
            Invariant.Require(_holds > 0);
            _holds--;
        }
        NoteMoved();
    }

    internal void Remove(ConsumerPosition position)
    {
        lock (_lock)
            _consumers.Remove(position.Name);
        NoteMoved();
    }

    internal void NoteMoved()
    {
        Interlocked.Increment(ref _version);
        Moved?.Invoke();
    }
}
