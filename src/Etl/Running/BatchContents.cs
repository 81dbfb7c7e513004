using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Transforming;

namespace Jackdaw.Etl.Running;

/// <summary>What a batch has while it is made.</summary>
internal sealed class BatchContents(EtlOptions options, FailureWindow scripts, RateLimits rate, CallSize size)
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
    public bool IsFull => Read > 0 && (DocumentsLeft <= 0 || MessagesLeft <= 0 || BytesLeft <= 0 || scripts.IsExceeded);

    /// <summary>Changes that still go into it, if they become as much as those before: what is made of further ones would be made
    /// for nothing.</summary>
    public int Room
    {
        get
        {
            // The next batch ends behind its first change.
            if (scripts.IsExceeded)
                return Math.Min(1, DocumentsLeft);
            double messagesEach = Read > 0 ? (double)Messages.Count / Read : size.MessagesEach;
            double bytesEach = Read > 0 ? (double)_bytes / Read : size.BytesEach;
            return (int)
                Math.Min(
                    DocumentsLeft,
                    Math.Ceiling(Math.Min(MessagesLeft / Math.Max(1, messagesEach), BytesLeft / Math.Max(1, bytesEach)))
                );
        }
    }

    private int DocumentsLeft => Math.Min(options.Limits.MaxBatchDocuments - Read, _documentsAllowed - _sending);

    private int MessagesLeft => Math.Min(options.Limits.MaxBatchMessages, _messagesAllowed) - Messages.Count;

    private long BytesLeft => options.Limits.MaxBatchBytes - _bytes;

    /// <summary>A change that is not sent.</summary>
    public void Pass(long etag)
    {
        Read++;
        To = etag;
    }

    /// <summary>A change that the script is not run on any more, for now.</summary>
    public void Bury(ChangeOrigin origin, string reason)
    {
        Pass(origin.Etag);
        Failures.Add(
            new DeadLetter
            {
                Origin = origin,
                Number = 0,
                Reason = reason,
                Attempts = 3,
                RetriesItself = true,
            }
        );
    }

    /// <summary>A change and what the script made of it, or why it failed.</summary>
    public void Add(ChangeOrigin origin, string? failure, IReadOnlyList<OutboundMessage> messages)
    {
        Pass(origin.Etag);
        scripts.Record(failed: failure is not null);
        if (failure is not null)
        {
            Failures.Add(
                new DeadLetter
                {
                    Origin = origin,
                    Number = 0,
                    Reason = failure,
                    Attempts = 1,
                }
            );
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
    public void End()
    {
        rate.Take(_sending, Messages.Count);
        size.Made(Read, Messages.Count, _bytes);
    }
}
