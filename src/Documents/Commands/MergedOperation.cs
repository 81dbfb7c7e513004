using System.Threading.Tasks.Sources;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Commands;

/// <summary>
/// A unit of writing: all of it or nothing. Submitted (<see cref="Database.SubmitAsync"/>), executed by the database's transaction merger,
/// perhaps several times, and answered once when what it saw and wrote is durable. It keeps its inputs until then: memory that it
/// was given must
/// stay as it is until the submission has been awaited.
/// </summary>
public abstract class MergedOperation : IValueTaskSource
{
    // The operation is its own task: nothing is allocated for a submission. Continuations run where it is answered, on the thread pool.
    private ManualResetValueTaskSourceCore<bool> _answer;
    private int _submitted;

    private protected MergedOperation() { }

    /// <summary>Bytes that it holds while it waits; counts against the queue's bound.</summary>
    public abstract long SizeBytes { get; }

    /// <summary>
    /// Set before submission: part of a load that can wait. It takes its turn like any other, but its submitter looks at
    /// <see cref="Database.HasRecentForegroundWrites"/> and holds back for those who cannot.
    /// </summary>
    public bool IsBackground { get; set; }

    /// <summary>Set before submission: what the request says of its caller, kept with each change where somebody tells others of
    /// it; null: nothing.</summary>
    public TraceParent? Trace { get; set; }

    /// <summary>Bytes that an operation counts at most that its caller's thread may execute.</summary>
    private protected const int MaxShortBytes = 64 << 10;

    /// <summary>It executes within microseconds whatever it meets, so the thread of its caller may do that: no script, nothing that
    /// goes through many rows, nothing large.</summary>
    internal virtual bool IsShort => false;

    /// <summary>The next one in the queue or transaction that this one is in.</summary>
    internal MergedOperation? Next { get; set; }

    /// <summary>What was counted for it when it was queued.</summary>
    internal long CountedBytes { get; set; }

    /// <summary>Set when it was refused; it then takes no further part in its transaction, but is answered with it.</summary>
    internal OperationException? Refusal { get; set; }

    /// <summary>
    /// Does the work. Runs in a turn of the merger, once or several times (each time on a transaction without its former traces),
    /// so it begins by forgetting
    /// the results of an earlier run. Throws an <see cref="OperationException"/> to refuse. A damaged page that it meets fails it alone
    /// (<see cref="DamagedPageException"/>); anything else poisons.
    /// </summary>
    internal abstract void Execute(DocumentsWriter writer);

    /// <summary>Called when it is queued; returns the task to be awaited.</summary>
    internal ValueTask Submitted()
    {
        Invariant.Require(Interlocked.Exchange(ref _submitted, 1) == 0);
        _answer.Reset();
        Refusal = null;
        return new ValueTask(this, _answer.Version);
    }

    /// <summary>It was not taken after all; it may be submitted again.</summary>
    internal void NotTaken() => Volatile.Write(ref _submitted, 0);

    /// <summary>Completes the task: the caller goes on from here, inside this call, and may submit or pool the operation again.</summary>
    internal void Answer(Exception? failure)
    {
        Invariant.Require(Interlocked.Exchange(ref _submitted, 0) == 1);
        if ((failure ?? Refusal) is { } error)
            _answer.SetException(error);
        else
            _answer.SetResult(true);
    }

    void IValueTaskSource.GetResult(short token) => _answer.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _answer.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _answer.OnCompleted(continuation, state, token, flags);
}
