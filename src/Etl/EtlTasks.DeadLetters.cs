using Jackdaw.Documents;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Running;

namespace Jackdaw.Etl;

/// <summary>What tasks could not send. See docs/etl.md, "Dead letters".</summary>
public sealed partial class EtlTasks
{
    private const int PurgedAtOnce = 1024;

    /// <summary>Shows some of those that match.</summary>
    /// <param name="filter">Which.</param>
    /// <param name="start">Matches passed over.</param>
    /// <param name="pageSize">At most so many.</param>
    public DeadLetterPage DeadLetters(DeadLetterFilter filter, long start, int pageSize)
    {
        ArgumentNullException.ThrowIfNull(filter);
        var found = new List<KeyValuePair<string, ReadOnlyMemory<byte>>>();
        bool hasMore = false;
        Walk(
            filter,
            letter =>
            {
                if (start > 0)
                {
                    start--;
                    return true;
                }
                hasMore = found.Count == pageSize;
                if (!hasMore)
                    found.Add(new(letter.Id, letter.Json));
                return !hasMore;
            },
            () => !hasMore
        );
        return new DeadLetterPage(found, hasMore);
    }

    /// <summary>Documents of dead letters, superseded ones among them.</summary>
    public long DeadLetterCount
    {
        get
        {
            using var reader = _database.OpenRead("ETL dead letters");
            return reader.Collection(DeadLetter.Collection)?.DocumentCount ?? 0;
        }
    }

    /// <summary>Removes all that match and were there when it was called, a bounded number a transaction; returns how many.
    /// Errors as <see cref="Database.SubmitAsync"/>.</summary>
    public async Task<long> PurgeDeadLettersAsync(DeadLetterFilter filter, CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(filter);
        long upTo = _database.LastDurableEtag;
        long after = 0;
        long purged = 0;
        for (bool isEnd = false; !isEnd; )
        {
            cancellation.ThrowIfCancellationRequested();
            var ids = new List<string>();
            (after, isEnd) = DeadLetterReader.Read(
                _database,
                filter,
                after,
                upTo,
                (_, letter) =>
                {
                    if (ids.Count == PurgedAtOnce)
                        return false;
                    ids.Add(letter.Id);
                    return true;
                }
            );
            purged += await DeadLetterStore.RemoveAsync(_database, ids).ConfigureAwait(false);
        }
        return purged;
    }

    /// <summary>Hands those that match and are there to the loops of their tasks, to be sent again; waits for that a while.</summary>
    /// <param name="filter">Which. Superseded ones are left out unless they are sent as stored.</param>
    /// <param name="asStored">Send what was stored, whatever became of the document.</param>
    /// <param name="wait">How long to wait for the outcome; the loops go on afterwards.</param>
    /// <returns>One outcome for each task that the filter can mean; empty when there is no such task.</returns>
    public async Task<IReadOnlyList<RetryOutcome>> RetryDeadLettersAsync(DeadLetterFilter filter, bool asStored, TimeSpan wait)
    {
        ArgumentNullException.ThrowIfNull(filter);
        long upTo = _database.LastDurableEtag;
        long? taskId = filter.Id is { } id ? TaskOf(id) : filter.TaskId;
        TaskEntry[] entries;
        lock (_lock)
            entries = [.. _tasks.Values];
        var asked = new List<(TaskEntry Entry, RetryRequest Request)>();
        foreach (var entry in entries)
        {
            var task = entry.Definition.Configuration;
            if ((filter.Id is not null || taskId is not null) && task.Id != taskId)
                continue;
            if (filter.TaskName is { } name && !task.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
                continue;
            var request = new RetryRequest(filter with { TaskId = task.Id, TaskName = null }, asStored, upTo);
            if (entry.Running is { } running)
                running.Retry(request);
            else
                request.End("The task could not be started.");
            asked.Add((entry, request));
        }
        await Task.WhenAny(Task.WhenAll(asked.Select(one => one.Request.Ended)), Task.Delay(wait)).ConfigureAwait(false);
        return asked
            .Select(one => one.Request.Outcome(one.Entry.Definition.Configuration.Id, one.Entry.Definition.Configuration.Name))
            .ToArray();
    }

    private long? TaskOf(string deadLetterId)
    {
        using var reader = _database.OpenRead("ETL dead letters");
        return DeadLetterReader.Find(reader, deadLetterId)?.TaskId;
    }

    /// <summary>Over all that match, in several read transactions.</summary>
    private void Walk(DeadLetterFilter filter, Func<StoredDeadLetter, bool> take, Func<bool> goesOn)
    {
        long upTo = _database.LastDurableEtag;
        long after = 0;
        for (bool isEnd = false; !isEnd && goesOn(); )
            (after, isEnd) = DeadLetterReader.Read(_database, filter, after, upTo, (_, letter) => take(letter));
    }
}
