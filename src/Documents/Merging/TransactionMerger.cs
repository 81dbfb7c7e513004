using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Watching;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Documents.Merging;

/// <summary>
/// Merges the operations of many callers into few transactions, and answers each caller when the outcome is durable.
/// docs/decisions/0005-merger.md says why it
/// is as it is. It has no thread: the host gives it turns, one at a time (<see cref="RunStep"/>, or <see cref="RunAlone"/> on the
/// thread of a caller), <see cref="Submit"/> is for all, the observer's calls come on whatever
/// thread runs the journal step.
/// </summary>
internal sealed partial class TransactionMerger : ICommitObserver
{
    /// <summary>Counted for an operation beside its own bytes, so that small ones are bounded too.</summary>
    private const int BytesPerOperation = 512;

    /// <summary>What waits in the queues of all databases, in the server's allowance.</summary>
    private const string AccountName = "waiting operations";

    private readonly StorageEnvironment _environment;
    private readonly DocumentsWriter _writer;
    private readonly MergerOptions _options;
    private readonly Action _wake;
    private readonly ChangeWatchers _watchers;
    private readonly Action _wakeWatchers;
    private readonly OperationQueue _queue = new();
    private readonly MemoryAccount? _memory;
    private readonly OperationList _waiting = new();

    private Exception? _refusal;
    private long _waitingBytes;
    private long _waitingOperations;
    private long _lastForegroundSubmission = long.MinValue;

    /// <param name="environment">The database's environment.</param>
    /// <param name="writer">Used by <see cref="RunStep"/> only.</param>
    /// <param name="options">How it works.</param>
    /// <param name="wake">Called, from any thread, when a step may have something to do.</param>
    /// <param name="watchers">Noted what each durable transaction did; woken on the thread pool after its callers were answered.</param>
    public TransactionMerger(
        StorageEnvironment environment,
        DocumentsWriter writer,
        MergerOptions options,
        Action wake,
        ChangeWatchers watchers
    )
    {
        _environment = environment;
        _writer = writer;
        _options = options;
        _wake = wake;
        _watchers = watchers;
        _wakeWatchers = watchers.Wake;
        _memory = environment.Options.Memory?.Account(AccountName);
        using var reader = environment.BeginRead("merger start");
        _lastDurableEtag = DocumentsWriter.ReadLastEtag(reader);
    }

    /// <summary>The highest etag that is durable.</summary>
    public long LastDurableEtag => Volatile.Read(ref _lastDurableEtag);

    public MergerStatistics Statistics =>
        new(
            Volatile.Read(ref _transactions),
            Volatile.Read(ref _operations),
            Volatile.Read(ref _refusals),
            Volatile.Read(ref _reexecutions),
            Interlocked.Read(ref _waitingOperations),
            Interlocked.Read(ref _waitingBytes)
        );

    /// <summary>See <see cref="DocumentsWriter.TidyingFault"/>. Any thread.</summary>
    public CorruptedDataException? TidyingFault => _writer.TidyingFault;

    /// <summary>A transaction has been begun and not closed yet. For the merger's thread.</summary>
    public bool HasOpenTransaction => _transaction is not null;

    /// <summary>An operation that is not in the background was submitted within the time before now.</summary>
    public bool HadForegroundWithin(TimeSpan time)
    {
        long last = Volatile.Read(ref _lastForegroundSubmission);
        return last != long.MinValue && _options.Clock.GetElapsedTime(last) <= time;
    }

    /// <summary>Nothing has been queued since the merger last looked.</summary>
    public bool HasNothingQueued => _queue.IsEmpty;

    /// <summary>
    /// Queues an operation; the task ends when its outcome is durable. Throws <see cref="MergerQueueFullException"/>,
    /// <see cref="EnvironmentPoisonedException"/>, or
    /// what it was closed with.
    /// </summary>
    public ValueTask Submit(MergedOperation operation)
    {
        if (Volatile.Read(ref _refusal) is { } refusal)
            throw Refused(refusal);
        long bytes = operation.SizeBytes + BytesPerOperation;
        long waiting = Interlocked.Add(ref _waitingBytes, bytes);
        // One that is larger than the bound by itself is taken when nothing else waits: it would never be otherwise.
        if (waiting > _options.Limits.MaxMergerQueueBytes && waiting != bytes)
        {
            Interlocked.Add(ref _waitingBytes, -bytes);
            throw new MergerQueueFullException(_options.DatabaseName, waiting - bytes, _options.Limits.MaxMergerQueueBytes);
        }
        if (_memory is not null && !_memory.TryTake(bytes))
        {
            if (waiting != bytes)
            {
                Interlocked.Add(ref _waitingBytes, -bytes);
                throw MergerQueueFullException.OfServer(_environment.Options.Memory!.TotalBytes);
            }
            _memory.Take(bytes);
        }
        operation.CountedBytes = bytes;
        if (!operation.IsBackground)
            Volatile.Write(ref _lastForegroundSubmission, _options.Clock.GetTimestamp());
        var task = operation.Submitted();
        Interlocked.Increment(ref _waitingOperations);
        if (!_queue.TryAdd(operation, out bool wasEmpty))
        {
            operation.NotTaken();
            _memory?.Return(bytes);
            Interlocked.Add(ref _waitingBytes, -bytes);
            Interlocked.Decrement(ref _waitingOperations);
            throw Refused(Volatile.Read(ref _refusal)!);
        }
        if (wasEmpty && !(operation.IsShort && _options.TryRunHere is { } tryRunHere && tryRunHere(operation)))
            _wake();
        return task;
    }

    /// <summary>
    /// Takes no more operations; those queued and not begun fail with <paramref name="reason"/>. On the merger's thread. Run steps until
    /// <see cref="MergerStep.Idle"/> and the journal is empty to end what was begun.
    /// </summary>
    public void Close(Exception reason)
    {
        Volatile.Write(ref _refusal, reason);
        _queue.Close(_waiting);
        AnswerAll(_waiting, () => Refused(reason), afterwards: null);
    }

    /// <summary>Returns a new exception each time: it is thrown to many callers, each of whom should see its own stack.</summary>
    private Exception Refused(Exception reason) =>
        reason switch
        {
            DatabaseDoesNotExistException => new DatabaseDoesNotExistException(_options.DatabaseName),
            DatabaseDisabledException => new DatabaseDisabledException(_options.DatabaseName),
            _ => new EnvironmentPoisonedException(_options.DatabaseName, reason),
        };

    /// <summary>Gives the operations of an ended transaction to the thread pool. They count as waiting no more.
    /// <paramref name="failure"/> makes one exception for each.</summary>
    private void AnswerAll(OperationList operations, Func<Exception>? failure, Action? afterwards)
    {
        if (operations.IsEmpty)
            return;
        Interlocked.Add(ref _waitingBytes, -operations.Bytes);
        _memory?.Return(operations.Bytes);
        Interlocked.Add(ref _waitingOperations, -operations.Count);
        int left = operations.Count;
        var first = operations.First;
        operations.Clear();
        if (left == 1 && IsCallersOwn(first!))
        {
            AnswerCaller(first!, failure, afterwards);
            return;
        }
        var transaction = new AnsweredTransaction((left + AnswerBatch.MaxOperations - 1) / AnswerBatch.MaxOperations, afterwards);
        while (left > 0)
        {
            int count = Math.Min(left, AnswerBatch.MaxOperations);
            left -= count;
            // The links are read before the batch is handed over: its operations are their callers' again as soon as they are answered.
            var next = first;
            for (int i = 0; i < count; i++)
                next = next!.Next;
            RunLater(new AnswerBatch(first, count, failure, transaction));
            first = next;
        }
    }

    private void RunLater(AnswerBatch batch)
    {
        if (_options.RunAnswers is { } run)
            run(batch);
        else
            ThreadPool.UnsafeQueueUserWorkItem(batch, preferLocal: false);
    }
}
