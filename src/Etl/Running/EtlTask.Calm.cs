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
    /// When it is time, hands the next such dead letter to the retries. That it was retried is durable before its script runs: if
    /// the process ends again, the dead letter is left to the operator.
    /// </summary>
    private void RetryAfterCalm()
    {
        if (_calmAfter is not { } after || !_requests.IsEmpty || _options.Clock.GetElapsedTime(_calmSince) < _options.Limits.CalmTime)
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
        _calmAfter = isEnd ? null : next;
        if (found is null)
            return;
        _deadLetters.Replace([(found, found.WithoutOwnRetry())]);
        _requests.Enqueue(
            new RetryRequest(new DeadLetterFilter { Id = found.Id, TaskId = _configuration.Id }, asStored: false, _database.LastDurableEtag)
        );
    }

    private bool HasDeadLetters()
    {
        using var reader = _database.OpenRead("ETL calm");
        return reader.Collection(DeadLetter.Collection) is { DocumentCount: > 0 };
    }
}
