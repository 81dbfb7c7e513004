using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Documents.Watching;

namespace Jackdaw.Simulation.Merging;

/// <summary>Who reads changes forward, and what may be cleaned behind them.</summary>
internal sealed partial class MergerSession
{
    private readonly List<WokenConsumer> _consumers = [];
    private ConsumerPositions _positions = null!;

    /// <summary>They come back after each crash, where they were.</summary>
    private ChangeWatchers RegisterConsumers(IReadOnlyList<SimulatedConsumer> consumers)
    {
        var watchers = new ChangeWatchers();
        _positions = new ConsumerPositions(_history.Clock);
        watchers.Watch(null, () => _consumersSaw = _merger!.LastDurableEtag);
        foreach (var consumer in consumers)
            _consumers.Add(new WokenConsumer(consumer, watchers, _positions));
        return watchers;
    }

    /// <summary>Events as documents, as a database shows them.</summary>
    internal static IPresentedDocuments EventsOf(DocumentsReader reader) =>
        new EventDocuments(reader.Of(EventsRoom.Instance), MergerHistory.ChangeVectors);

    private CleanTombstonesOperation Cleaning() => new() { Consumers = _positions.Places()!, UpToEtag = _merger.LastDurableEtag };

    /// <summary>One of the consumers reads on.</summary>
    private void Consume()
    {
        if (_consumers.Count == 0)
            return;
        var consumer = _consumers[_random.Next(_consumers.Count)];
        consumer.BeginReading();
        using var reader = OpenDocuments("simulated consumer", out var transaction);
        _ledger.Promise(transaction.Id);
        consumer.Read(reader, _ledger.StateOf(transaction.Id), atMost: _random.OneIn(3) ? _random.Next(8) : int.MaxValue);
    }
}
