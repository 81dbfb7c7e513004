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
public sealed class DocumentConsumer(IDocumentProjection projection, JackdawDatabase readModel, SourceHistory source) : IBatchConsumer
{
    /// <summary>The server's limit of an id.</summary>
    private const int MaxIdBytes = 512;

    /// <inheritdoc/>
    public Consumer Consumer => projection.Consumer;

    /// <inheritdoc/>
    public async Task<Outcome> HandleAsync(CloudEvent message, CancellationToken cancel)
    {
        ArgumentNullException.ThrowIfNull(message);
        if (await FindChangeAsync(message, cancel) is not { } change)
            return Outcome.Ignored;
        var marker = (await readModel.GetAsync([change.MarkerId], cancel))[0];
        if (BatchOf(change, marker) is not { } batch)
            return Outcome.Ignored;
        await readModel.StoreAsync(batch, cancel);
        return Outcome.Applied;
    }

    /// <inheritdoc/>
    public async Task<IReadOnlyList<bool>> TryHandleAsync(IReadOnlyList<CloudEvent> messages, CancellationToken cancel)
    {
        ArgumentNullException.ThrowIfNull(messages);
        var handled = new bool[messages.Count];
        var documents = await FindDocumentsAsync(messages, handled, cancel);
        if (documents.Count == 0)
            return handled;
        var markers = await readModel.GetAsync([.. documents.Select(one => one.Newest.MarkerId)], cancel);
        var joined = new Batch();
        var inBatch = new List<DocumentChanges>();
        foreach (var (document, marker) in documents.Zip(markers))
        {
            if (!TryMakeBatch(document.Newest, marker, cancel, out var batch))
                continue;
            if (batch is null)
            {
                document.MarkHandled(handled);
                continue;
            }
            if (joined.Length > 0 && joined.Length + batch.Length > JackdawDatabase.MostJoinedBytes)
            {
                await StoreAsync();
                joined = new Batch();
                inBatch.Clear();
            }
            joined.Add(batch);
            inBatch.Add(document);
        }
        await StoreAsync();
        return handled;

        async Task StoreAsync()
        {
            if (inBatch.Count > 0 && await TryStoreAsync(joined, cancel))
                inBatch.ForEach(one => one.MarkHandled(handled));
        }
    }

    /// <summary>The changes of each document, without those that need no more or that cannot be told at once.</summary>
    private async Task<IReadOnlyList<DocumentChanges>> FindDocumentsAsync(
        IReadOnlyList<CloudEvent> messages,
        bool[] handled,
        CancellationToken cancel
    )
    {
        var documents = new Dictionary<string, DocumentChanges>(messages.Count);
        for (var i = 0; i < messages.Count; i++)
        {
            try
            {
                if (await FindChangeAsync(messages[i], cancel) is not { } change)
                    handled[i] = true;
                else if (documents.TryGetValue(change.MarkerId, out var document))
                    document.Add(change, i);
                else
                    documents.Add(change.MarkerId, new DocumentChanges(change, i));
            }
            catch (MessageFaultException)
            {
                // Told where the message is handled by itself.
            }
        }
        return [.. documents.Values];
    }

    /// <summary>False: something is wrong, and is told where the message is handled by itself. No batch: nothing is to be done.</summary>
    private bool TryMakeBatch(DocumentChange change, StoredDocument? marker, CancellationToken cancel, out Batch? batch)
    {
        try
        {
            batch = BatchOf(change, marker);
            return true;
        }
        catch (Exception) when (!cancel.IsCancellationRequested)
        {
            batch = null;
            return false;
        }
    }

    /// <summary>False: it may or may not be stored. Handling its messages one by one finds out, and tells why.</summary>
    private async Task<bool> TryStoreAsync(Batch batch, CancellationToken cancel)
    {
        try
        {
            await readModel.StoreAsync(batch, cancel);
            return true;
        }
        catch (Exception e) when (e is InfrastructureException or ChangedMeanwhileException or MessageFaultException)
        {
            return false;
        }
    }

    /// <summary>Null: the source never had that state.</summary>
    private async Task<DocumentChange?> FindChangeAsync(CloudEvent message, CancellationToken cancel)
    {
        if (message.Type is not (CloudEvent.PutType or CloudEvent.DeleteType))
            throw new MessageFaultException($"The message is of the type '{message.Type}'; this consumer knows puts and deletions.");
        var history = await source.ReadAsync(message.DatabaseId, cancel);
        return history.PlaceOf(message.DatabaseId, message.Etag) switch
        {
            HistoryPlace.Own => new DocumentChange(message, history, Consumer.MarkerOfDocument(message.Subject)),
            HistoryPlace.AfterFork => null,
            _ => throw new MessageFaultException(
                $"The message is of the database {message.DatabaseId}, neither the source {history.DatabaseId} nor an ancestor of it."
            ),
        };
    }

    /// <summary>Null: the change, or a newer one, has been applied.</summary>
    private Batch? BatchOf(DocumentChange change, StoredDocument? marker)
    {
        var message = change.Message;
        if (marker is not null && IsPassed(Marker.Read(change.MarkerId, marker), message, change.History))
            return null;
        var isDeletion = message.Type == CloudEvent.DeleteType;
        var batch = ViewOf(message, isDeletion);
        new Marker(message.Subject, message.DatabaseId, message.Etag, Number: 0, message.Id, isDeletion).AddTo(
            batch,
            change.MarkerId,
            marker
        );
        return batch;
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

    private Batch ViewOf(CloudEvent message, bool isDeletion)
    {
        var id = projection.IdOf(message.Subject);
        if (System.Text.Encoding.UTF8.GetByteCount(id) > MaxIdBytes)
            throw new MessageFaultException($"The read model's id for '{message.Subject}' is longer than {MaxIdBytes} bytes.");
        var members = isDeletion ? null : projection.Project(message);
        return members is null ? new Batch().Delete(id) : new Batch().Put(id, projection.Collection, members);
    }
}
