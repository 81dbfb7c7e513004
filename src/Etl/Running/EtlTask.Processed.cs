using Jackdaw.Etl.Messages;

namespace Jackdaw.Etl.Running;

/// <summary>
/// Documents that are deleted once they are sent (<c>Queues[].DeleteProcessedDocuments</c>). They go after the sink confirmed and before the position passes them: a crash
/// in between sends them again, under the same ids, and deletes them then.
/// </summary>
internal sealed partial class EtlTask
{
    private readonly OwnDeletions _ownDeletions;

    /// <summary>Of a batch of changes: deletes the documents of the settled prefix that were not deleted yet.</summary>
    private void DeleteProcessed(Batch batch)
    {
        if (!_ownDeletions.AreWanted)
            return;
        long settled = batch.SettledEtag;
        var processed = Changes(batch).Where(change => change.Origin.Etag > batch.ProcessedEtag && change.Origin.Etag <= settled && IsProcessed(batch, change.First, change.Count))
            .Select(change => change.Origin).ToArray();
        if (processed.Length > 0)
            DeleteNow(processed);
        batch.ProcessedEtag = Math.Max(batch.ProcessedEtag, settled);
    }

    /// <summary>Of dead letters that are settled at last: deletes the documents of which nothing else is dead.</summary>
    private void DeleteProcessed(Batch batch, Retried retried, List<string> settled)
    {
        if (!_ownDeletions.AreWanted || settled.Count == 0)
            return;
        var processed = retried.Processed(settled, (origin, number) => _deadLetters.Exists(batch.Transform.Configuration.Name, origin, number), _ownDeletions.AreWantedFor);
        if (processed.Count > 0)
            DeleteNow(processed);
    }

    /// <summary>
    /// Where the sink keeps the position, it has passed changes whose documents a crash has left: of these the script tells once more where their messages went.
    /// </summary>
    /// <param name="run">The transform, whose position is the kept one before and after.</param>
    /// <param name="from">Up to it nothing is left: this database's copy of the position, which is stored behind deletions only.</param>
    /// <param name="upTo">The kept position.</param>
    private void DeleteProcessed(TransformRun run, long from, long upTo)
    {
        if (!_ownDeletions.AreWanted || from >= upTo)
            return;
        string name = run.Configuration.Name;
        run.PlaceAt(from);
        while (run.ReadTo < upTo && _reader.Read(run) is { } batch)
        {
            var processed = Changes(batch).Where(change => change.Origin.Etag <= upTo && IsProcessed(batch, change.First, change.Count)
                    && !Enumerable.Range(0, change.Count + 1).Any(number => _deadLetters.Exists(name, change.Origin, number) is not null))
                .Select(change => change.Origin).ToArray();
            if (processed.Length > 0)
                DeleteNow(processed);
        }
        run.PlaceAt(upTo);
        // What failed in scripts here was counted when it was sent.
        _scripts.Clear();
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
        for (int first = 0; first < messages.Count;)
        {
            int end = first + 1;
            while (end < messages.Count && messages[end].Origin.Etag == messages[first].Origin.Etag)
                end++;
            yield return (messages[first].Origin, first, end - first);
            first = end;
        }
    }
}
