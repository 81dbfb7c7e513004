using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Positions;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Running;

/// <summary>What one transform made of a run of changes.</summary>
internal sealed class Batch
{
    public Batch(
        TransformRun transform,
        IReadOnlyList<OutboundMessage> messages,
        IReadOnlyList<DeadLetter> failures,
        Guid databaseId,
        long fromEtag,
        long toEtag,
        bool hasMore
    )
    {
        Transform = transform;
        Failures = failures;
        FromEtag = fromEtag;
        ToEtag = toEtag;
        HasMore = hasMore;
        Delivery = new Delivery(
            messages,
            new SinkPosition(SinkPosition.Name(transform.Configuration.Name), new TaskPosition(databaseId, toEtag), Batch: Id)
        );
    }

    /// <summary>One of dead letters that are sent again: it moves no position.</summary>
    public Batch(TransformRun transform, IReadOnlyList<OutboundMessage> messages, Retried retried, Guid databaseId)
        : this(transform, messages, [], databaseId, transform.Position, transform.Position, hasMore: false)
    {
        Retried = retried;
        FailuresAreBuried = true;
    }

    public TransformRun Transform { get; }

    /// <summary>By which a sink that keeps positions tells that it has arrived.</summary>
    public Guid Id { get; } = Guid.NewGuid();

    /// <summary>Null for a batch of changes.</summary>
    public Retried? Retried { get; }

    public Delivery Delivery { get; }

    /// <summary>Changes that the script failed for.</summary>
    public IReadOnlyList<DeadLetter> Failures { get; }

    /// <summary>The position before it.</summary>
    public long FromEtag { get; }

    /// <summary>The position after it.</summary>
    public long ToEtag { get; }

    /// <summary>There were further changes when it was read.</summary>
    public bool HasMore { get; }

    /// <summary>Its dead letter and the position behind it are to be durable before any script runs again.</summary>
    public bool EndsWithKiller { get; init; }

    /// <summary>Documents with changes up to this etag that were to be deleted when sent are deleted.</summary>
    public long ProcessedEtag { get; set; }

    /// <summary>Where the sink keeps the positions: what is noted durably of the documents that are to be deleted once it has
    /// arrived; null: nothing yet.</summary>
    public SentDocuments? Sent { get; set; }

    /// <summary>The dead letters of <see cref="Failures"/> are durable.</summary>
    public bool FailuresAreBuried { get; set; }

    /// <summary>The sink has been told of it while it delivered the one before, and may have begun it, since it was last called
    /// for it.</summary>
    public bool IsHanded { get; set; }

    /// <summary>Nothing to send and nothing to bury.</summary>
    public bool IsEmpty => Delivery.Messages.Count == 0 && Failures.Count == 0;

    /// <summary>Everything up to this etag is settled: it lies before the first change with an unsettled message.</summary>
    public long SettledEtag
    {
        get
        {
            if (!FailuresAreBuried)
                return FromEtag;
            int prefix = Delivery.SettledPrefix;
            return prefix == Delivery.Messages.Count ? ToEtag : Delivery.Messages[prefix].Origin.Etag - 1;
        }
    }
}
