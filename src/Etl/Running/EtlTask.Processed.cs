using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Running;

/// <summary>
/// Documents that are deleted once they are sent (<c>Queues[].DeleteProcessedDocuments</c>). They go after the sink confirmed and
/// before the position passes them: a crash
/// in between sends them again, under the same ids, and deletes them then. A sink that keeps the positions has passed them by
/// then: what is to be deleted is noted before.
/// </summary>
internal sealed partial class EtlTask
{
    private readonly OwnDeletions _ownDeletions;
    private readonly SentDocumentsStore _sent;

    /// <summary>Of a batch of changes: deletes the documents of the settled prefix that were not deleted yet.</summary>
    private void DeleteProcessed(Batch batch)
    {
        if (!_ownDeletions.AreWanted)
            return;
        long settled = batch.SettledEtag;
        var processed = Changes(batch)
            .Where(change =>
                change.Origin.Etag > batch.ProcessedEtag && change.Origin.Etag <= settled && IsProcessed(batch, change.First, change.Count)
            )
            .Select(change => change.Origin)
            .ToArray();
        if (processed.Length > 0)
            DeleteNow(processed);
        batch.ProcessedEtag = Math.Max(batch.ProcessedEtag, settled);
    }

    /// <summary>Of dead letters that are settled at last: deletes the documents of which nothing else is dead.</summary>
    private void DeleteProcessed(Batch batch, Retried retried, List<string> settled)
    {
        if (!_ownDeletions.AreWanted || settled.Count == 0)
            return;
        var processed = Processed(batch, retried, settled);
        if (processed.Count > 0)
            DeleteNow(processed);
    }

    private IReadOnlyList<ChangeOrigin> Processed(Batch batch, Retried retried, IReadOnlyList<string> settled) =>
        retried.Processed(
            settled,
            (origin, number) => _deadLetters.Exists(batch.Transform.Configuration.Name, origin, number),
            _ownDeletions.AreWantedFor
        );

    /// <summary>
    /// Where the sink keeps the positions: what the delivery of all that is open would leave to be deleted is durable before it
    /// begins. Of a retry also, for it moves no
    /// position by which it could be known.
    /// </summary>
    private void NoteSent(Batch batch)
    {
        if (_keeper is null || !_ownDeletions.AreWanted)
            return;
        var sent = batch.Retried is { } retried
            ? Processed(batch, retried, retried.Sent(batch.Delivery.IsBuried))
            : Changes(batch).Where(change => IsProcessed(batch, change.First, change.Count)).Select(change => change.Origin);
        long[] etags = sent.Select(origin => origin.Etag).ToArray();
        // Fewer than before when some were rejected meanwhile, perhaps none.
        if ((batch.Sent?.Etags ?? []).SequenceEqual(etags))
            return;
        var noted = new SentDocuments(batch.Id, etags);
        _sent.Write(batch.Delivery.Position, noted);
        batch.Sent = noted;
    }

    /// <summary>What a crash, or an order that came between, has left: deletes the documents of the batches that have arrived, as
    /// the sink tells.</summary>
    private void DeleteArrived(IReadOnlyList<SinkPosition> kept)
    {
        if (!_ownDeletions.AreWanted)
            return;
        foreach (var position in kept)
        {
            if (_sent.Find(position) is not { } processed)
                continue;
            if (processed.Count > 0)
                DeleteNow(processed);
            _sent.Remove(position);
        }
    }

    private void DeleteNow(IReadOnlyList<ChangeOrigin> processed)
    {
        Reached(Failpoint.DeletingProcessed);
        _ownDeletions.Delete(processed);
        Reached(Failpoint.ProcessedDeleted);
    }

    /// <summary>All of the change's messages have arrived, one of them where it says that the document goes.</summary>
    private bool IsProcessed(Batch batch, int first, int count)
    {
        var delivery = batch.Delivery;
        bool isWanted = false;
        for (int i = first; i < first + count; i++)
        {
            // What became a dead letter needs its document for a retry.
            if (delivery.IsBuried(i) || delivery.Messages[i].Origin.IsDeletion)
                return false;
            isWanted |= _ownDeletions.AreWantedFor(delivery.Messages[i].Target);
        }
        return isWanted;
    }

    private static IEnumerable<(ChangeOrigin Origin, int First, int Count)> Changes(Batch batch)
    {
        var messages = batch.Delivery.Messages;
        for (int first = 0; first < messages.Count; )
        {
            int end = first + 1;
            while (end < messages.Count && messages[end].Origin.Etag == messages[first].Origin.Etag)
                end++;
            yield return (messages[first].Origin, first, end - first);
            first = end;
        }
    }
}
