using Jackdaw.Etl.DeadLetters;

namespace Jackdaw.Etl.Running;

/// <summary>
/// Dead letters of documents at which the process ended. It may have been killed from outside, and the document may be innocent:
/// so each is retried once without an operator, when the task has run for a while without the process ending.
/// </summary>
internal sealed partial class EtlTask
{
    /// <summary>Timestamp of the clock when the task was started, or wrote such a dead letter.</summary>
    private long _calmSince;

    /// <summary>Such dead letters with etags above it have not been looked for. Null: there are none.</summary>
    private long? _calmAfter = 0;

    /// <summary>The last of them that was handed to the retries, with the etag of its dead letter then.</summary>
    private (RetryRequest Request, long LetterEtag)? _ownRetry;

    /// <summary>How long until they are retried; infinite when there are none.</summary>
    private TimeSpan UntilCalm()
    {
        if (_calmAfter is 0 && !HasDeadLetters())
            _calmAfter = null;
        if (_calmAfter is null)
            return Timeout.InfiniteTimeSpan;
        var left = _options.Limits.CalmTime - _options.Clock.GetElapsedTime(_calmSince);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    /// <summary>A dead letter was written because the process had ended.</summary>
    private void BeginCalm()
    {
        _calmSince = _options.Clock.GetTimestamp();
        _calmAfter = 0;
    }

    /// <summary>
    /// When it is time, hands the next such dead letter to the retries, which run its script at once. That it was retried is durable
    /// before: if the process ends again, the dead letter is left to the operator.
    /// </summary>
    private void RetryAfterCalm()
    {
        if (_ownRetry is { Request.Ended.IsCompleted: true })
            KeepOwnRetry();
        if (
            _calmAfter is not { } after
            || _isClosing
            || !_requests.IsEmpty
            || _options.Clock.GetElapsedTime(_calmSince) < _options.Limits.CalmTime
        )
            return;
        StoredDeadLetter? found = null;
        var filter = new DeadLetterFilter { TaskId = _configuration.Id, RetriesItself = true };
        var (next, isEnd) = DeadLetterReader.Read(
            _database,
            filter,
            after,
            _database.LastDurableEtag,
            (_, letter) =>
            {
                if (found is not null)
                    return false;
                found = letter;
                return true;
            }
        );
        if (found is not null)
        {
            _deadLetters.Replace([(found, found.WithoutOwnRetry())]);
            // Null or with its mark: somebody has removed or written it meanwhile.
            if (Stored(found.Id) is { RetriesItself: false } marked)
            {
                filter = new DeadLetterFilter { Id = found.Id, TaskId = _configuration.Id };
                var request = new RetryRequest(filter, asStored: false, _database.LastDurableEtag);
                _ownRetry = (request, marked.LetterEtag);
                _requests.Enqueue(request);
            }
        }
        _calmAfter = isEnd ? null : next;
    }

    /// <summary>Such a retry whose messages were not settled when it was given up is made again after the next calm time: its script
    /// did not end the process.</summary>
    private void KeepOwnRetry()
    {
        if (_ownRetry is not { } own)
            return;
        _ownRetry = null;
        if (own.Request.IsDone || Stored(own.Request.Filter.Id!) is not { } letter || letter.LetterEtag != own.LetterEtag)
            return;
        _deadLetters.Replace([(letter, letter.WithOwnRetry())]);
        BeginCalm();
    }

    private StoredDeadLetter? Stored(string id)
    {
        using var reader = _database.OpenRead("ETL calm");
        return reader.TryGet(id, out var document) ? StoredDeadLetter.Read(document) : null;
    }

    private bool HasDeadLetters()
    {
        using var reader = _database.OpenRead("ETL calm");
        return reader.Collection(DeadLetter.Collection) is { DocumentCount: > 0 };
    }
}
