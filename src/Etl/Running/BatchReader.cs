using Jackdaw.Documents;
using Jackdaw.Documents.Reading;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Reading;
using Jackdaw.Etl.Transforming;
using Jackdaw.Storage;

namespace Jackdaw.Etl.Running;

/// <summary>Makes batches: reads a transform's changes and runs its script, within one read transaction that ends before it returns.</summary>
internal sealed class BatchReader(
    Database database, EtlTaskConfiguration task, IReadOnlyList<TransformRun> transforms, EtlOptions options, FailureWindow scripts, RateLimits rate,
    OwnDeletions ownDeletions, bool allowsRoutingKeys) : IDisposable
{
    private const string KillerReason = "The server's process ended while the script ran on this document (twice with others, once alone), so the script is not run on it again.";

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
        using var runner = new TransformRunner(transform.Script, reader, transform.Naming, options.Limits, allowsRoutingKeys);
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

    private Batch Read(TransformRun transform, DocumentsReader reader, TransformRunner runner, long last, ScriptDeaths? told)
    {
        var messages = new List<OutboundMessage>();
        var failures = new List<DeadLetter>();
        var changes = new ChangeReader(reader, transform.Configuration, transform.ReadTo);
        long began = options.Clock.GetTimestamp();
        long to = transform.ReadTo;
        long bytes = 0;
        int read = 0;
        int sending = 0;
        var (documentsAllowed, messagesAllowed) = (rate.Documents, rate.Messages);
        bool hasMore = false;
        bool endsWithKiller = false;
        while (changes.MoveNext(PassedAtOnce))
        {
            if (!changes.IsCurrentWanted)
            {
                // A long stretch that is not for the transform is passed within the time of a batch, too.
                to = changes.Current.Etag;
                hasMore = options.Clock.GetElapsedTime(began) >= options.Limits.MaxBatchTime;
                if (hasMore)
                    break;
                continue;
            }
            hasMore = read > 0 && (IsFull(read, messages.Count, bytes, began) || sending >= documentsAllowed || messages.Count >= messagesAllowed);
            if (hasMore)
                break;
            read++;
            to = changes.Current.Etag;
            if (_deaths!.IsKiller(transform.Index, to))
            {
                failures.Add(new DeadLetter { Origin = TransformRunner.Origin(changes.Current), Number = 0, Reason = KillerReason, Attempts = 3 });
                endsWithKiller = true;
                hasMore = true;
                break;
            }
            told?.Try(transform.Index, to);
            int before = messages.Count;
            if (!changes.Current.IsTombstone || !ownDeletions.Contains(reader, changes.Current.Etag))
                bytes += Transform(runner, changes.Current, messages, failures);
            sending += messages.Count > before ? 1 : 0;
        }
        rate.Take(sending, messages.Count);
        return new Batch(transform, messages, failures, database.Id, transform.ReadTo, hasMore ? to : last, hasMore) { EndsWithKiller = endsWithKiller };
    }

    private bool IsFull(int read, int messages, long bytes, long began)
    {
        var limits = options.Limits;
        return read >= limits.MaxBatchDocuments || messages >= limits.MaxBatchMessages || bytes >= limits.MaxBatchBytes
            || scripts.IsExceeded || options.Clock.GetElapsedTime(began) >= limits.MaxBatchTime;
    }

    private long Transform(TransformRunner runner, in DocumentChange change, List<OutboundMessage> messages, List<DeadLetter> failures)
    {
        options.FailpointReached?.Invoke(Failpoint.Script);
        string? failure = runner.Run(change, out var origin);
        scripts.Record(failed: failure is not null);
        if (failure is not null)
        {
            failures.Add(new DeadLetter { Origin = origin, Number = 0, Reason = failure, Attempts = 1 });
            return failure.Length;
        }
        long bytes = 0;
        foreach (var message in runner.Messages)
        {
            if (_targets.Add(message.Target) && _targets.Count > EtlLimits.MaxTargetsPerTask)
            {
                _targets.Remove(message.Target);
                throw new TooManyTargetsException(message.Target);
            }
            messages.Add(message);
            bytes += message.SizeBytes;
        }
        return bytes;
    }
}
