using System.Collections.Concurrent;
using Jackdaw.Etl.DeadLetters;

namespace Jackdaw.Etl.Running;

/// <summary>Dead letters that are sent again, between the ordinary batches and in the same loop, so that nothing overtakes
/// anything.</summary>
internal sealed partial class EtlTask
{
    private const int RemovedAtOnce = 1024;

    private readonly ConcurrentQueue<RetryRequest> _requests = new();
    private readonly RetryReader _retryReader;
    private bool _isTurnOfChanges;

    /// <summary>Sends dead letters again, or tells at once why not (<see cref="RetryRequest.Ended"/>).</summary>
    public void Retry(RetryRequest request)
    {
        _requests.Enqueue(request);
        if (WhyAtRest() is { } reason)
            EndRetries(reason);
        Woken?.Invoke();
    }

    /// <summary>Changes and retries take turns, a batch each.</summary>
    private Batch? NextBatch()
    {
        if (!_isTurnOfChanges && NextRetry() is { } retry)
        {
            _isTurnOfChanges = true;
            return retry;
        }
        _isTurnOfChanges = false;
        return NextChanges() ?? NextRetry();
    }

    private Batch? NextRetry()
    {
        RetryAfterCalm();
        while (_requests.TryPeek(out var request))
        {
            while (!request.IsRead)
            {
                if (_isClosing)
                    return null;
                var page = _retryReader.Read(request);
                _deadLetters.Replace(page.Replacements);
                request.Count(0, page.Superseded, page.Failed);
                request.AfterEtag = page.AfterEtag;
                request.IsRead = page.IsEnd;
                if (page.ToBatch(_database.Id) is { } batch)
                    return batch;
            }
            _requests.TryDequeue(out _);
            request.End(null);
        }
        return null;
    }

    /// <summary>Of a batch of retried ones: removes the dead letters whose messages are settled. A crash before it sends them
    /// again, under the same ids.</summary>
    private void RemoveRetried(Batch batch, Retried retried)
    {
        var done = retried.Done(batch.Delivery);
        var settled = retried.Settled(done, batch.Delivery.IsBuried);
        if (settled.Count > 0)
        {
            DeleteProcessed(batch, retried, settled);
            Reached(Failpoint.RetrySent);
            _deadLetters.Remove(settled);
            Reached(Failpoint.RetryRemoved);
        }
        retried.Pass(done);
        retried.Request.Count(settled.Count, 0, done.Count - settled.Count);
    }

    /// <summary>A person has purged or changed dead letters that wait to be sent (the sink may be down for long): what was made
    /// of them is not sent.</summary>
    private bool HasChanged(Batch batch)
    {
        if (batch.Retried is not { } retried)
            return false;
        using var reader = _database.OpenRead("ETL retry");
        return retried.HasChanged(reader, batch.Delivery);
    }

    /// <summary>
    /// Removes dead letters of changes above the position: these come again in the ordinary way, which writes their dead letters
    /// anew if it must. Left there, a retry would
    /// send a second time what that way has sent.
    /// </summary>
    private void RemoveUnpassed(TransformRun run)
    {
        var filter = new DeadLetterFilter { TaskId = _configuration.Id, Transform = run.Configuration.Name };
        long upTo = _database.LastDurableEtag;
        // A dead letter is younger than its change.
        long after = run.Position;
        for (bool isEnd = false; !isEnd; )
        {
            var ids = new List<string>();
            (after, isEnd) = DeadLetterReader.Read(
                _database,
                filter,
                after,
                upTo,
                (_, letter) =>
                {
                    if (ids.Count == RemovedAtOnce)
                        return false;
                    if (letter.Origin.Etag > run.Position)
                        ids.Add(letter.Id);
                    return true;
                }
            );
            if (ids.Count > 0)
                _deadLetters.Remove(ids);
        }
    }

    /// <summary>The sink keeps, with the position, which dead letters it was sent: they are settled, whatever was known of that
    /// here.</summary>
    private void SettleRetried(TransformRun run, bool isPlaced, IReadOnlyList<string> ids)
    {
        if (
            isPlaced
            && _batch is { Retried: { } retried } batch
            && batch.Transform == run
            && ids.SequenceEqual(retried.Sent(batch.Delivery.IsBuried))
        )
            batch.Delivery.ConfirmRest();
        else
            _deadLetters.Remove(ids);
    }

    private void CompleteRetry(Batch batch, Retried retried)
    {
        RemoveRetried(batch, retried);
        CountMessages(batch);
    }

    /// <summary>In the loop: what was read of dead letters is not sent when the task goes on, for whoever wanted it has been told
    /// so.</summary>
    private void GiveUpRetries(string reason)
    {
        if (_batch?.Retried is not null)
            _batch = null;
        EndRetries(reason);
    }

    private void EndRetries(string reason)
    {
        while (_requests.TryDequeue(out var request))
            request.End(reason);
    }
}
