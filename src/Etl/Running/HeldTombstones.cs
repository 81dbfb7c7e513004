using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Positions;

namespace Jackdaw.Etl.Running;

/// <summary>
/// Keeps what a task has yet to send from being removed: tombstones behind the stored position of each transform that publishes
/// deletions, and deleted events behind that of each transform that reads events; all of them while it has none. For a task that runs,
/// and for one that could not be started: what is deleted meanwhile is sent when it can.
/// </summary>
internal sealed class HeldTombstones : IDisposable
{
    private readonly Dictionary<string, ConsumerPosition> _consumers = new(StringComparer.OrdinalIgnoreCase);

    public HeldTombstones(Database database, EtlTaskConfiguration task)
    {
        var positions = new PositionStore(database, task.Id);
        using var reader = database.OpenRead("ETL start");
        foreach (var transform in task.Transforms.Where(transform => transform.PublishDeletes || transform.ReadsEvents))
        {
            var stored = positions.Read(reader, transform.Name);
            // One that was never enabled has nothing to go on with.
            if (transform.Disabled && stored is null)
                continue;
            long etag = stored is { } position && position.DatabaseId == database.Id ? position.Etag : 0;
            var consumer = database.Consumers.Register(
                EtlTask.ConsumerName(task.Id, transform.Name),
                etag,
                transform.PublishDeletes ? transform.Wants : EventsRoom.IsEvents
            );
            consumer.IsEnabled = !task.Disabled && !transform.Disabled;
            _consumers[transform.Name] = consumer;
        }
    }

    /// <summary>Durably, the transform has dealt with everything up to an etag.</summary>
    public void Pass(TransformConfiguration transform, long etag)
    {
        if (_consumers.TryGetValue(transform.Name, out var consumer))
            consumer.Etag = etag;
    }

    /// <summary>Nothing is held any more.</summary>
    public void Dispose()
    {
        foreach (var consumer in _consumers.Values)
            consumer.Dispose();
        _consumers.Clear();
    }
}
