using Jackdaw.Documents;
using Jackdaw.Documents.Reading;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Reading;
using Jackdaw.Etl.Transforming;
using Jackdaw.Storage;

namespace Jackdaw.Etl.Running;

/// <summary>Makes batches: reads a transform's changes and runs its script, within one read transaction that ends before it
/// returns.</summary>
internal sealed class BatchReader(
    Database database,
    EtlTaskConfiguration task,
    IReadOnlyList<TransformRun> transforms,
    EtlOptions options,
    FailureWindow scripts,
    RateLimits rate,
    OwnDeletions ownDeletions,
    bool allowsRoutingKeys
) : IDisposable
{
    private const string KillerReason =
        "The server's process ended while the script ran on this document "
        + "(twice with others, once alone). The task retries it once by itself, when it has run for ten minutes.";

    /// <summary>Changes that a transform is not for, between two looks at the clock.</summary>
    private const int PassedAtOnce = 1024;

    private readonly HashSet<string> _targets = new(StringComparer.Ordinal);
    private ScriptDeaths? _deaths;

    /// <summary>The changes after those that were read; null when there are none of any kind.</summary>
    public Batch? Read(TransformRun transform)
    {
        using var reader = database.OpenRead($"ETL {task.Name}/{transform.Configuration.Name}");
        long last = reader.LastEtag;
        Invariant.Require(transform.Position <= transform.ReadTo && transform.ReadTo <= last);
        if (transform.ReadTo == last)
            return null;
        using var runner = new TransformRunner(
            transform.Script,
            reader,
            transform.Naming,
            options.Limits,
            allowsRoutingKeys,
            transform.Shared ??= new SharedCall(transform.Script.BoundTargets, options.Limits.MaxDocumentsPerCall)
        );
        var deaths = _deaths ??= new ScriptDeaths(database, task.Id, transforms.Select(one => one.Configuration.Name).ToArray());
        bool isAlone = deaths.Begin(transform.Index, transform.ReadTo);
        bool isWhole = false;
        try
        {
            var batch = Read(transform, reader, runner, last, isAlone ? deaths : null);
            transform.ReadTo = batch.ToEtag;
            isWhole = true;
            return batch;
        }
        finally
        {
            deaths.End(transform.Index, isWhole);
        }
    }

    public void Dispose() => _deaths?.Dispose();

    /// <summary>Documents wait to share a call of the engine, but for the changes that are told (<paramref name="told"/>): each
    /// of these is settled before the next is looked at.</summary>
    private Batch Read(TransformRun transform, DocumentsReader reader, TransformRunner runner, long last, ScriptDeaths? told)
    {
        var waiting = transform.Shared!;
        var contents = new BatchContents(options, scripts, rate, waiting.Size) { To = transform.ReadTo };
        var changes = new ChangeReader(reader, transform.Configuration, transform.ReadTo);
        int room = 0;
        bool hasMore = false;
        bool endsWithKiller = false;
        bool isNoted = false;
        while (!hasMore && changes.MoveNext(PassedAtOnce))
        {
            var change = changes.Current;
            bool isWanted = changes.IsCurrentWanted;
            if (isWanted && !isNoted)
            {
                transform.Waits.Note(transform.ReadTo, change.LastModifiedTicks(), transform.Position);
                isNoted = true;
            }
            // Where a deletion runs no script, the process can have died of something else only.
            bool runsScript = isWanted && (!change.IsTombstone || transform.Script.Deletions is not null);
            bool isKiller = runsScript && _deaths!.IsKiller(transform.Index, change.Etag);
            bool waits = isWanted && !change.IsTombstone && !isKiller;
            bool joins =
                waits && told is null && waiting.Count > 0 && waiting.Count < room && waiting.HasRoomFor(change.Document.Body.Length);
            if (!joins)
            {
                hasMore =
                    !RunWaiting(runner, waiting, contents) || (isWanted && contents.Read > 0 && (contents.IsFull || contents.IsTimeUp));
                if (hasMore)
                    break;
                room = contents.Room;
            }
            if (!isWanted)
            {
                // A long stretch that is not for the transform is passed within the time of a batch, too.
                contents.To = change.Etag;
                hasMore = contents.IsTimeUp;
                continue;
            }
            if (isKiller)
            {
                contents.Bury(TransformRunner.OriginOf(change), KillerReason);
                hasMore = endsWithKiller = true;
                break;
            }
            if (runsScript)
                told?.Try(transform.Index, change.Etag);
            else
                told?.Rest(transform.Index);
            if (waits)
            {
                options.FailpointReached?.Invoke(Failpoint.Script);
                runner.Add(change);
            }
            else
            {
                RunDeletion(runner, reader, change, contents);
            }
        }
        hasMore = !RunWaiting(runner, waiting, contents) || hasMore;
        contents.End();
        return new Batch(
            transform,
            contents.Messages,
            contents.Failures,
            database.Id,
            transform.ReadTo,
            hasMore ? contents.To : last,
            hasMore
        )
        {
            EndsWithKiller = endsWithKiller,
        };
    }

    /// <summary>Runs the script on the documents that wait. False when the batch is full before all of them; the others are
    /// forgotten.</summary>
    private bool RunWaiting(TransformRunner runner, SharedCall waiting, BatchContents contents)
    {
        while (waiting.Count > 0)
        {
            // What is made already takes no time any more.
            if (contents.IsFull || (contents.Read > 0 && !waiting.IsNextMade && contents.IsTimeUp))
            {
                waiting.Clear();
                return false;
            }
            string? failure = runner.RunNext(out var origin);
            Add(contents, origin, failure, runner.Messages);
        }
        return true;
    }

    private void RunDeletion(TransformRunner runner, DocumentsReader reader, in DocumentChange change, BatchContents contents)
    {
        if (ownDeletions.Contains(reader, change.Etag))
        {
            contents.Pass(change.Etag);
            return;
        }
        if (runner.RunsOnDeletions)
            options.FailpointReached?.Invoke(Failpoint.Script);
        string? failure = runner.Run(change, out var origin);
        Add(contents, origin, failure, runner.Messages);
    }

    private void Add(BatchContents contents, ChangeOrigin origin, string? failure, IReadOnlyList<OutboundMessage> messages)
    {
        foreach (var message in messages)
        {
            if (!_targets.Add(message.Target) || _targets.Count <= EtlLimits.MaxTargetsPerTask)
                continue;
            _targets.Remove(message.Target);
            throw new TooManyTargetsException(message.Target);
        }
        contents.Add(origin, failure, messages);
    }
}
