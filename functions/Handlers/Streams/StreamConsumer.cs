using System.Globalization;
using System.Text;
using Jackdaw.Functions.Handlers.Consuming;
using Jackdaw.Functions.Handlers.Histories;
using Jackdaw.Functions.Handlers.Messages;
using Jackdaw.Functions.Handlers.Storing;

namespace Jackdaw.Functions.Handlers.Streams;

/// <summary>
/// Keeps a read model of event streams. A message only wakes the consumer: it reads the stream from the marker on and applies everything,
/// in order, in batches that demand that the marker is as it was read. See functions/README.md.
/// </summary>
/// <param name="projection">What becomes of a stream.</param>
/// <param name="readModel">Where the read model, the markers and the outbox are.</param>
/// <param name="events">The database that has the streams and sends the messages.</param>
/// <param name="source">Its history.</param>
public sealed class StreamConsumer(IStreamProjection projection, JackdawDatabase readModel, JackdawDatabase events, SourceHistory source)
    : IMessageConsumer
{
    /// <summary>Events that one batch applies at most.</summary>
    internal const int EventsPerBatch = 500;

    /// <summary>The server's limit of a stream id.</summary>
    private const int MaxStreamIdBytes = 1000;

    /// <inheritdoc/>
    public Consumer Consumer => projection.Consumer;

    /// <inheritdoc/>
    public async Task<Outcome> HandleAsync(CloudEvent message, CancellationToken cancel)
    {
        ArgumentNullException.ThrowIfNull(message);
        if (message.Type is not (CloudEvent.PutType or CloudEvent.DeleteType))
            throw new MessageFaultException($"The message is of the type '{message.Type}'; this consumer knows events and deletions.");
        if (Encoding.UTF8.GetByteCount(message.Subject) > MaxStreamIdBytes)
            throw new MessageFaultException($"The message's 'subject' is longer than {MaxStreamIdBytes} bytes: no stream has such an id.");
        var history = await source.ReadAsync(message.DatabaseId, cancel);
        switch (history.PlaceOf(message.DatabaseId, message.Etag))
        {
            case HistoryPlace.Unknown:
                throw new MessageFaultException(
                    $"The message is of the database {message.DatabaseId}, neither the source {history.DatabaseId} nor an ancestor of it."
                );
            case HistoryPlace.AfterFork:
                return Outcome.Ignored;
        }
        var outcome = Outcome.Ignored;
        for (var isEnd = false; !isEnd; )
        {
            var (applied, reached) = await ApplyPageAsync(message, history, cancel);
            isEnd = reached;
            if (applied)
                outcome = Outcome.Applied;
        }
        return outcome;
    }

    private async Task<(bool Applied, bool IsEnd)> ApplyPageAsync(CloudEvent message, History history, CancellationToken cancel)
    {
        var stream = message.Subject;
        var (markerId, viewId) = (Consumer.MarkerOfStream(stream), projection.IdOf(stream));
        var read = await readModel.GetAsync([markerId, viewId], cancel);
        var marker = read[0] is { } stored ? Marker.Read(markerId, stored) : null;
        // What was applied of a branch that the source does not have cannot be taken back: the state is made anew.
        if (marker is not null && history.PlaceOf(marker.DatabaseId, marker.Etag) != HistoryPlace.Own)
            marker = null;
        // The view has everything up to the marker; where it was deleted, the state is made anew as well.
        var view = marker is null ? null : read[1];
        var page = await ReadAsync(stream, view is null ? 1 : marker!.Number + 1, history, cancel);
        if (page.Events.Count == 0)
        {
            if (message.Type == CloudEvent.PutType && message.Etag > (marker?.Etag ?? 0))
                throw new MessageFaultException(
                    $"The event at position {message.Etag} of the stream '{stream}' was deleted before this consumer had applied it."
                );
            return (false, true);
        }
        var state = view?.Members ?? projection.Begin(stream);
        var batch = new Batch();
        foreach (var one in page.Events)
        {
            var eventId = string.Create(CultureInfo.InvariantCulture, $"{one.Position}-{history.MakerOf(one.Position)}");
            foreach (var effect in projection.Apply(state, one, eventId))
                effect.AddTo(batch);
        }
        var last = page.Events[^1];
        batch.Put(viewId, projection.Collection, state);
        new Marker(stream, history.DatabaseId, last.Position, last.Number, MessageId: "", IsDeleted: false).AddTo(batch, markerId, read[0]);
        await readModel.StoreAsync(batch, cancel);
        return (true, page.IsEnd);
    }

    private async Task<StreamPage> ReadAsync(string stream, long from, History history, CancellationToken cancel)
    {
        try
        {
            return await events.ReadStreamAsync(stream, from, EventsPerBatch, history.DatabaseId, cancel);
        }
        catch (ChangedMeanwhileException)
        {
            source.Forget();
            throw;
        }
    }
}
