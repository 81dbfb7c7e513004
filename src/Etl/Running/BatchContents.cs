using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Messages;

namespace Jackdaw.Etl.Running;

/// <summary>What a batch has while it is made.</summary>
internal sealed class BatchContents(EtlOptions options, FailureWindow scripts, RateLimits rate)
{
    private readonly long _began = options.Clock.GetTimestamp();
    private readonly int _documentsAllowed = rate.Documents;
    private readonly int _messagesAllowed = rate.Messages;
    private long _bytes;
    private int _sending;

    public List<OutboundMessage> Messages { get; } = [];

    public List<DeadLetter> Failures { get; } = [];

    /// <summary>Changes that it is made of.</summary>
    public int Read { get; private set; }

    /// <summary>The last change that was read or passed.</summary>
    public long To { get; set; }

    public bool IsTimeUp => options.Clock.GetElapsedTime(_began) >= options.Limits.MaxBatchTime;

    /// <summary>Nothing more goes into it, whatever the clock says.</summary>
    public bool IsFull => Read > 0 && (Room <= 0 || _bytes >= options.Limits.MaxBatchBytes || scripts.IsExceeded);

    /// <summary>Changes that still go into it, if each sends one message.</summary>
    public int Room =>
        Math.Min(Math.Min(options.Limits.MaxBatchDocuments - Read, options.Limits.MaxBatchMessages - Messages.Count), Math.Min(_documentsAllowed - _sending, _messagesAllowed - Messages.Count));

    /// <summary>A change that is not sent.</summary>
    public void Pass(long etag)
    {
        Read++;
        To = etag;
    }

    /// <summary>A change that the script is not run on any more.</summary>
    public void Bury(ChangeOrigin origin, string reason)
    {
        Pass(origin.Etag);
        Failures.Add(new DeadLetter { Origin = origin, Number = 0, Reason = reason, Attempts = 3 });
    }

    /// <summary>A change and what the script made of it, or why it failed.</summary>
    public void Add(ChangeOrigin origin, string? failure, IReadOnlyList<OutboundMessage> messages)
    {
        Pass(origin.Etag);
        scripts.Record(failed: failure is not null);
        if (failure is not null)
        {
            Failures.Add(new DeadLetter { Origin = origin, Number = 0, Reason = failure, Attempts = 1 });
            _bytes += failure.Length;
            return;
        }
        foreach (var message in messages)
        {
            Messages.Add(message);
            _bytes += message.SizeBytes;
        }
        _sending += messages.Count > 0 ? 1 : 0;
    }

    /// <summary>No more is read.</summary>
    public void TakeFromRate() => rate.Take(_sending, Messages.Count);
}
