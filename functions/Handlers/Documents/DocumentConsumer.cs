using Jackdaw.Functions.Handlers.Consuming;
using Jackdaw.Functions.Handlers.Histories;
using Jackdaw.Functions.Handlers.Messages;
using Jackdaw.Functions.Handlers.Storing;

namespace Jackdaw.Functions.Handlers.Documents;

/// <summary>
/// Keeps a read model of documents. Each message carries a whole state and its etag; the marker says which state was applied last, and the
/// batch that applies another one demands that the marker is as it was read. See functions/README.md.
/// </summary>
/// <param name="projection">What becomes of a document.</param>
/// <param name="readModel">Where the read model and the markers are.</param>
/// <param name="source">The history of the database that the messages come from.</param>
public sealed class DocumentConsumer(IDocumentProjection projection, JackdawDatabase readModel, SourceHistory source) : IMessageConsumer
{
    /// <summary>The server's limit of an id.</summary>
    private const int MaxIdBytes = 512;

    /// <inheritdoc/>
    public Consumer Consumer => projection.Consumer;

    /// <inheritdoc/>
    public async Task<Outcome> HandleAsync(CloudEvent message, CancellationToken cancel)
    {
        ArgumentNullException.ThrowIfNull(message);
        var isDeletion = message.Type == CloudEvent.DeleteType;
        if (!isDeletion && message.Type != CloudEvent.PutType)
            throw new MessageFaultException($"The message is of the type '{message.Type}'; this consumer knows puts and deletions.");
        var history = await source.ReadAsync(message.DatabaseId, cancel);
        switch (history.PlaceOf(message.DatabaseId, message.Etag))
        {
            case HistoryPlace.Unknown:
                throw new MessageFaultException(
                    $"The message is of the database {message.DatabaseId}, neither the source {history.DatabaseId} nor an ancestor of it."
                );
            case HistoryPlace.AfterFork:
                // The source never had that state.
                return Outcome.Ignored;
        }
        var markerId = Consumer.MarkerOfDocument(message.Subject);
        var stored = (await readModel.GetAsync([markerId], cancel))[0];
        if (stored is not null && IsPassed(Marker.Read(markerId, stored), message, history))
            return Outcome.Ignored;
        var batch = BatchOf(message, isDeletion);
        new Marker(message.Subject, message.DatabaseId, message.Etag, Number: 0, message.Id, isDeletion).AddTo(batch, markerId, stored);
        await readModel.StoreAsync(batch, cancel);
        return Outcome.Applied;
    }

    /// <summary>A marker of a branch that the source does not have says nothing about the source's states.</summary>
    private static bool IsPassed(Marker marker, CloudEvent message, History history)
    {
        if (history.PlaceOf(marker.DatabaseId, marker.Etag) != HistoryPlace.Own || marker.Etag < message.Etag)
            return false;
        if (marker.Etag == message.Etag && marker.MessageId != message.Id)
            throw new MessageFaultException(
                $"The messages {marker.MessageId} and {message.Id} are of one change of '{message.Subject}'. This consumer takes one "
                    + "message of a change: let the task's script call loadTo once for each document."
            );
        return true;
    }

    private Batch BatchOf(CloudEvent message, bool isDeletion)
    {
        var id = projection.IdOf(message.Subject);
        if (System.Text.Encoding.UTF8.GetByteCount(id) > MaxIdBytes)
            throw new MessageFaultException($"The read model's id for '{message.Subject}' is longer than {MaxIdBytes} bytes.");
        var members = isDeletion ? null : projection.Project(message);
        return members is null ? new Batch().Delete(id) : new Batch().Put(id, projection.Collection, members);
    }
}
