using System.Diagnostics;
using Jackdaw.Documents.Errors;
using Jackdaw.Scripting.Errors;

namespace Jackdaw.Documents.Writing;

/// <summary>
/// What patches may take of the merger, which everybody waits for, and of the heap: time, results and output of one operation,
/// and time of one transaction.
/// One object a <see cref="Writing.DocumentsWriter"/>; what is counted is forgotten when the next operation or transaction begins.
/// </summary>
internal sealed class PatchAllowance
{
    private static readonly long s_transactionTicks = (long)(Limits.PatchTimePerTransaction.TotalSeconds * Stopwatch.Frequency);

    private long _operationTicks;
    private long _resultBytes;
    private long _outputLength;

    /// <summary>Time that patches took since the transaction was begun, in ticks of <see cref="Stopwatch"/>: what was executed in
    /// vain and again counts too.</summary>
    public long TransactionTicks { get; private set; }

    /// <summary>
    /// No further operation should come into the transaction: so one that took long is the last, and is not executed again
    /// because of one behind it.
    /// </summary>
    public bool IsTransactionOver => IsOver(TransactionTicks);

    /// <summary>Whether so much time, in ticks of <see cref="Stopwatch"/>, is what patches may take in a transaction before it
    /// takes no more.</summary>
    public static bool IsOver(long ticks) => ticks >= s_transactionTicks;

    public void BeginTransaction() => TransactionTicks = 0;

    /// <summary>Also when the operation is executed again: what others made it do twice is not its own fault.</summary>
    public void BeginOperation()
    {
        _operationTicks = 0;
        _resultBytes = 0;
        _outputLength = 0;
    }

    /// <summary>Throws <see cref="PatchException"/> when the operation's patches have used up their time. Before each patch: one
    /// that has begun has its own limit.</summary>
    public void RequireTime(Limits limits)
    {
        var used = Stopwatch.GetElapsedTime(0, _operationTicks);
        if (used >= limits.MaxPatchOperationTime)
            throw new PatchException(
                new ScriptLimitException(
                    $"The patches of one operation have taken {used.TotalMilliseconds:N0} "
                        + "ms, over their limit of "
                        + $"{limits.MaxPatchOperationTime.TotalMilliseconds:N0} ms together, which is "
                        + $"{Limits.PatchTimesPerOperation} times the setting Patching.MaxScriptTimeInMs: "
                        + "send them in smaller batches, patch by query, or raise it."
                )
            );
    }

    /// <summary>Counts what was taken since then, a time stamp of <see cref="Stopwatch"/>.</summary>
    public void CountTime(long began)
    {
        long ticks = Stopwatch.GetTimestamp() - began;
        _operationTicks += ticks;
        TransactionTicks += ticks;
    }

    /// <summary>Before a document is kept for the answer. Throws <see cref="TooLargeException"/>.</summary>
    public void CountResult(long bytes, Limits limits)
    {
        _resultBytes += bytes;
        if (_resultBytes > limits.MaxPatchResultBytes)
            throw new TooLargeException(
                "The size of the documents that the patches of one operation hand back, in bytes,",
                _resultBytes,
                limits.MaxPatchResultBytes,
                "Limits.MaxDocumentSizeInMb"
            );
    }

    /// <summary>Before a text is kept for the answer. Throws <see cref="ScriptCallbackException"/>, inside the script.</summary>
    public void CountOutput(string text)
    {
        _outputLength += text.Length + Limits.PatchOutputOverhead;
        if (_outputLength > Limits.MaxPatchOutputLength)
            throw new ScriptCallbackException($"output: more than {Limits.MaxPatchOutputLength:N0} characters in one operation (fixed).");
    }
}
