using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Tombstones;

/// <summary>Removes a bounded number of the oldest tombstones of each collection, and notes what consumers have missed by it.</summary>
internal sealed class CleanTombstonesOperation : MergedOperation
{
    private readonly Dictionary<string, DeletionGap> _missed = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<uint, CleaningBound> _bounds = [];
    private IReadOnlyList<ConsumerPlace> _consumers = [];
    private long _nowTicks;

    public override long SizeBytes => 0;

    /// <summary>Above it nothing goes: it is not durable yet, so no consumer can have seen it.</summary>
    public long UpToEtag { get; set; }

    /// <summary>A tombstone from before it has aged, and goes whoever has not seen it: UTC ticks.</summary>
    public long AgedBeforeTicks { get; set; }

    /// <summary>Who reads tombstones, wherever it is.</summary>
    public IReadOnlyList<ConsumerPlace> Consumers
    {
        get => _consumers;
        set
        {
            _consumers = value;
            _bounds.Clear();
        }
    }

    /// <summary>A result.</summary>
    public int Removed { get; private set; }

    /// <summary>A result: rows of deleted events, and records of their deletions.</summary>
    public int RemovedEvents { get; private set; }

    /// <summary>A result: tombstones, and deletions of events, that stay.</summary>
    public long Left { get; private set; }

    internal override void Execute(DocumentsWriter writer)
    {
        // It may be executed again.
        _missed.Clear();
        _nowTicks = writer.NowTicks;
        Removed = writer.RemoveTombstones(this, Limits.TombstonesPerCleaning);
        var events = EventsRoom.Of(writer);
        var bound = BoundOf(CollectionNames.EventsId, CollectionNames.EventsText);
        if (writer.Planted == PlantedMergerFault.CleaningForgetsConsumers)
            bound = bound with { UpToEtag = long.MaxValue };
        RemovedEvents = DeletedEvents.Remove(
            events,
            (etag, ticks) => Takes(bound, etag, ticks),
            (etag, rows) => RemovingEvents(bound, etag, rows),
            Limits.EventsPerCleaning
        );
        Left = writer.TombstoneCount + DeletedEvents.Waiting(events);
        foreach (var gap in _missed.Values)
        {
            byte[] key = DeletionGap.KeyBytes(gap.Consumer);
            var whole = writer.TryGetValue(key, out var former) ? DeletionGap.Read(DeletionGap.Key(gap.Consumer), former).With(gap) : gap;
            writer.SetValue(key, whole.ToBytes());
        }
    }

    /// <summary>How far a collection's tombstones can go. Consumers that do not want the collection have no say in it.</summary>
    internal CleaningBound BoundOf(CollectionRow collection) =>
        _bounds.TryGetValue(collection.Id, out var known) ? known : BoundOf(collection.Id, Encoding.UTF8.GetString(collection.Name));

    private CleaningBound BoundOf(uint collectionId, string name)
    {
        if (_bounds.TryGetValue(collectionId, out var known))
            return known;
        var wanting = _consumers.Where(consumer => consumer.Wants is not { } wants || wants(name)).ToArray();
        long lowest = wanting.Where(consumer => consumer.Holds).Select(consumer => consumer.Etag).DefaultIfEmpty(long.MaxValue).Min();
        return _bounds[collectionId] = new CleaningBound(lowest, wanting);
    }

    /// <summary>Does it go?</summary>
    internal bool Takes(CleaningBound bound, long etag, long lastModifiedTicks) =>
        etag <= UpToEtag && (etag <= bound.UpToEtag || lastModifiedTicks < AgedBeforeTicks);

    /// <summary>It goes: whoever wants its collection and has not seen it has missed it.</summary>
    internal void Removing(CleaningBound bound, long etag) => Miss(bound, etag, deletions: 1, events: 0);

    /// <summary>Rows of events whose deletion has this etag go.</summary>
    private void RemovingEvents(CleaningBound bound, long etag, int rows) => Miss(bound, etag, deletions: 0, events: rows);

    private void Miss(CleaningBound bound, long etag, int deletions, int events)
    {
        foreach (var consumer in bound.Wanting)
        {
            if (consumer.Etag >= etag)
                continue;
            var one = new DeletionGap(consumer.Name, consumer.Etag, etag, deletions, _nowTicks) { Events = events };
            _missed[consumer.Name] = _missed.TryGetValue(consumer.Name, out var missed) ? missed.With(one) : one;
        }
    }
}
