using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Documents.Watching;

namespace Jackdaw.Simulation.Merging;

/// <summary>A consumer while the database is open: registered for its tombstones, and woken for its changes.</summary>
internal sealed class WokenConsumer
{
    private readonly SimulatedConsumer _consumer;
    private readonly ConsumerPosition _position;
    private bool _isWoken = true;
    private bool _isAtEnd;

    /// <summary>
    /// The last etag of events and their deletions when it came to the end. Its position may be lower: the last numbers that a deletion
    /// hides can be those of no event.
    /// </summary>
    private long _lastEvents;

    public WokenConsumer(SimulatedConsumer consumer, ChangeWatchers watchers, ConsumerPositions positions)
    {
        _consumer = consumer;
        _position = positions.Register(consumer.Name, consumer.Position, consumer.Wants);
        watchers.Watch(collection => consumer.Wants(collection) ? ChangeKinds.All : ChangeKinds.None, () => _isWoken = true);
    }

    /// <summary>Before the transaction that it reads in: what becomes durable afterwards wakes it.</summary>
    public void BeginReading() => _isWoken = _isAtEnd = false;

    public void Read(DocumentsReader reader, DatabaseState state, int atMost)
    {
        _isAtEnd = _consumer.Read(reader, state, atMost);
        _lastEvents = state.Events.LastChange;
        _position.Etag = _consumer.Position;
    }

    /// <summary>One that has read everything and was not woken since has nothing to read.</summary>
    public void RequireWoken(DatabaseState state)
    {
        if (_isWoken || !_isAtEnd)
            return;
        OracleException.Require(
            !state.Documents.Values.Any(document => _consumer.Wants(document.Collection) && document.Etag > _consumer.Position)
                && !(_consumer.ReadsEvents && state.Events.LastChange > _lastEvents)
                && !state.Tombstones.Values.Any(tombstone => _consumer.Wants(tombstone.Collection) && tombstone.Etag > _consumer.Position),
            $"consumer '{_consumer.Name}' was not woken for what came after etag {_consumer.Position}"
        );
    }
}
