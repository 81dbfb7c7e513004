using Jackdaw.Documents;
using Jackdaw.Documents.Reading;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Reading;
using Jackdaw.Etl.Transforming;
using Jackdaw.Storage;

namespace Jackdaw.Etl.Running;

/// <summary>Makes batches: reads a transform's changes and runs its script, within one read transaction that ends before it returns.</summary>
internal sealed class BatchReader(Database database, string taskName, EtlOptions options, FailureWindow scripts, bool allowsRoutingKeys)
{
    private readonly HashSet<string> _targets = new(StringComparer.Ordinal);

    /// <summary>The changes after the transform's position; null when there are none of any kind.</summary>
    public Batch? Read(TransformRun transform)
    {
        using var reader = database.OpenRead($"ETL {taskName}/{transform.Configuration.Name}");
        long last = reader.LastEtag;
        Invariant.Require(transform.Position <= last);
        if (transform.Position == last)
            return null;
        using var runner = new TransformRunner(transform.Script, reader, transform.Naming, options.Limits, allowsRoutingKeys);
        var messages = new List<OutboundMessage>();
        var failures = new List<DeadLetter>();
        var changes = new ChangeReader(reader, transform.Configuration, transform.Position);
        long began = options.Clock.GetTimestamp();
        long to = transform.Position;
        long bytes = 0;
        int read = 0;
        bool hasMore = false;
        while (changes.MoveNext())
        {
            hasMore = read > 0 && IsFull(read, messages.Count, bytes, began);
            if (hasMore)
                break;
            read++;
            bytes += Transform(runner, changes.Current, messages, failures);
            to = changes.Current.Etag;
        }
        return new Batch(transform, messages, failures, database.Id, transform.Position, hasMore ? to : last, hasMore);
    }

    private bool IsFull(int read, int messages, long bytes, long began)
    {
        var limits = options.Limits;
        return read >= limits.MaxBatchDocuments || messages >= limits.MaxBatchMessages || bytes >= limits.MaxBatchBytes
            || scripts.IsExceeded || options.Clock.GetElapsedTime(began) >= limits.MaxBatchTime;
    }

    private long Transform(TransformRunner runner, in DocumentChange change, List<OutboundMessage> messages, List<DeadLetter> failures)
    {
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
