using Jackdaw.Etl.DeadLetters;

namespace Jackdaw.Etl.Running;

/// <summary>Dead letters that a person wants sent again, and how far the task's loop is with them. Read from any thread, changed
/// by the loop.</summary>
internal sealed class RetryRequest(DeadLetterFilter filter, bool asStored, long upToEtag)
{
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _settled;
    private long _superseded;
    private long _failed;
    private volatile string? _reason;

    public DeadLetterFilter Filter { get; } = filter;

    /// <summary>Send what was stored, whatever became of the document.</summary>
    public bool AsStored { get; } = asStored;

    /// <summary>Of dead letters' documents: what is written later, among it what fails again, is not of this request.</summary>
    public long UpToEtag { get; } = upToEtag;

    /// <summary>Dead letters up to this etag have been looked at.</summary>
    public long AfterEtag { get; set; }

    /// <summary>All have been looked at.</summary>
    public bool IsRead { get; set; }

    /// <summary>Ends when there is nothing left to do.</summary>
    public Task Ended => _ended.Task;

    /// <summary>It ended, and did not break off.</summary>
    public bool IsDone => _ended.Task.IsCompleted && _reason is null;

    /// <summary>What was read is not sent: it is read again, as it is then.</summary>
    public void GoBack(long afterEtag)
    {
        AfterEtag = afterEtag;
        IsRead = false;
    }

    public void Count(int settled, int superseded, int failed)
    {
        Interlocked.Add(ref _settled, settled);
        Interlocked.Add(ref _superseded, superseded);
        Interlocked.Add(ref _failed, failed);
    }

    /// <param name="reason">Why it broke off; null when all is done.</param>
    public void End(string? reason)
    {
        _reason = reason;
        _ended.TrySetResult();
    }

    public RetryOutcome Outcome(long taskId, string taskName) =>
        new(
            taskId,
            taskName,
            Interlocked.Read(ref _settled),
            Interlocked.Read(ref _superseded),
            Interlocked.Read(ref _failed),
            IsDone,
            _reason
        );
}
