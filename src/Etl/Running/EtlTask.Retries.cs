using System.Collections.Concurrent;

namespace Jackdaw.Etl.Running;

/// <summary>Dead letters that are sent again, between the ordinary batches and in the same loop, so that nothing overtakes anything.</summary>
internal sealed partial class EtlTask
{
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

    /// <summary>Of a batch of retried ones: removes the dead letters whose messages are settled. A crash before it sends them again, under the same ids.</summary>
    private void RemoveRetried(Batch batch, Retried retried)
    {
        var (settled, failed) = retried.Through(batch.Delivery.SettledPrefix, batch.Delivery.IsBuried);
        if (settled.Count > 0)
        {
            DeleteProcessed(batch, retried, settled);
            Reached(Failpoint.RetrySent);
            _deadLetters.Remove(settled);
            Reached(Failpoint.RetryRemoved);
        }
        retried.Pass(settled.Count + failed);
        retried.Request.Count(settled.Count, 0, failed);
    }

    private void CompleteRetry(Batch batch, Retried retried)
    {
        RemoveRetried(batch, retried);
        CountMessages(batch);
    }

    /// <summary>Null while there is something to be done, now or after a pause.</summary>
    private string? WhyAtRest()
    {
        lock (_stateLock)
        {
            return _state is EtlTaskState.Running or EtlTaskState.Idle or EtlTaskState.Waiting
                ? null
                : $"The task is {_state}{(_reason is null ? "." : $": {_reason}")}";
        }
    }

    private void EndRetries(string reason)
    {
        while (_requests.TryDequeue(out var request))
            request.End(reason);
    }
}
