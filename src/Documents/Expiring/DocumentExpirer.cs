using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Merging;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Documents.Expiring;

/// <summary>
/// Expires and refreshes documents that are due, a bounded operation at a time. It has no thread and does not block:
/// <see cref="RunStep"/> is run when <see cref="NextStep"/> has passed and when it asks for it (<see cref="Woken"/>).
/// </summary>
internal sealed class DocumentExpirer
{
    /// <summary>Somebody who wrote so long ago may write again.</summary>
    private static readonly TimeSpan s_recently = TimeSpan.FromSeconds(1);

    private readonly TransactionMerger _merger;
    private readonly StorageEnvironment _environment;
    private readonly Func<DueDocumentsOperation, Task> _submit;
    private readonly TimeProvider _clock;
    private readonly DueDocumentsPass[] _passes;
    private readonly long[] _configurations = new long[2];
    private readonly Lock _configuring = new();
    private readonly Action _woken;
    private Task? _running;
    private DueDocumentsPass? _runningPass;
    private long _submitted;
    private int _turn;
    private bool _isStopped;

    /// <param name="merger">Given its operations.</param>
    /// <param name="due">Tells when there is something to do.</param>
    /// <param name="environment">Read for what is configured and due; nothing is written to it meanwhile.</param>
    /// <param name="clock">Tells what is due, and for waiting.</param>
    /// <param name="submit">Hands an operation to the merger; null: directly.</param>
    public DocumentExpirer(
        TransactionMerger merger,
        DueDates due,
        StorageEnvironment environment,
        TimeProvider clock,
        Func<DueDocumentsOperation, Task>? submit = null
    )
    {
        _merger = merger;
        _environment = environment;
        _submit = submit ?? (operation => merger.Submit(operation).AsTask());
        _clock = clock;
        _woken = () => Woken?.Invoke();
        _passes = [new DueDocumentsPass(DocumentDateKind.Expires, due, clock), new DueDocumentsPass(DocumentDateKind.Refresh, due, clock)];
        using var reader = environment.BeginRead("dates of documents");
        foreach (var pass in _passes)
        {
            var kind = pass.Operation.Kind;
            pass.Settings = DueDocumentsSettings.Read(reader, kind);
            LookForFirst(reader, kind, due);
        }
        due.Lowered = _woken;
    }

    /// <summary>Called, on any thread, when there may be something to do before <see cref="NextStep"/> has passed; must be quick and must
    /// not throw.</summary>
    public Action? Woken { get; set; }

    /// <summary>An operation is on its way, or has ended and waits for the next step.</summary>
    public bool IsRunning => _running is not null;

    /// <summary>What time it is for dates, UTC ticks.</summary>
    public long NowTicks => _clock.GetUtcNow().UtcTicks;

    /// <summary>The passes of a kind.</summary>
    public DueDocumentsPass Pass(DocumentDateKind kind) => _passes[(int)kind];

    /// <summary>Takes over what was stored durably. Any thread.</summary>
    /// <param name="kind">Of what.</param>
    /// <param name="settings">What was stored.</param>
    /// <param name="order">Of the operation that stored it: an earlier one does not count after a later one.</param>
    public void Configure(DocumentDateKind kind, DueDocumentsSettings settings, long order)
    {
        lock (_configuring)
        {
            if (order < _configurations[(int)kind])
                return;
            _configurations[(int)kind] = order;
            Pass(kind).Settings = settings;
        }
        _woken();
    }

    /// <summary>Begins an operation when something is due, or goes on.</summary>
    public void RunStep()
    {
        if (_running is { } running)
        {
            if (!running.IsCompleted)
                return;
            _running = null;
            End(running);
        }
        for (int tried = 0; tried < _passes.Length && !_isStopped; tried++)
        {
            // In turns: a pass over a million documents does not keep the other waiting.
            var pass = _passes[_turn];
            _turn = (_turn + 1) % _passes.Length;
            if (pass.Wait() != TimeSpan.Zero)
                continue;
            Begin(pass);
            return;
        }
    }

    /// <summary>How long there is nothing to do; <see cref="Timeout.InfiniteTimeSpan"/>: until <see cref="Woken"/> is called.</summary>
    public TimeSpan NextStep()
    {
        var next = Timeout.InfiniteTimeSpan;
        if (_running is not null || _isStopped)
            return next;
        foreach (var pass in _passes)
        {
            var wait = pass.Wait();
            if (wait != Timeout.InfiniteTimeSpan && (next == Timeout.InfiniteTimeSpan || wait < next))
                next = wait;
        }
        return next;
    }

    private static void LookForFirst(ReadTransaction reader, DocumentDateKind kind, DueDates due)
    {
        try
        {
            due.Raise(kind, DateTree.First(reader, kind) ?? DueDates.Never);
        }
        catch (CorruptedDataException)
        {
            // The database opens all the same; the operation that needs the page reports it.
        }
    }

    private (long Ticks, long Etag)? FirstReadable(DocumentDateKind kind, (long Ticks, long Etag) from)
    {
        using var reader = _environment.BeginRead("dates of documents");
        return DateTree.FirstReadable(reader, kind, from);
    }

    private bool IsShared => _merger.HadForegroundWithin(s_recently);

    private void Begin(DueDocumentsPass pass)
    {
        pass.Prepare(IsShared);
        _submitted = _clock.GetTimestamp();
        _runningPass = pass;
        try
        {
            _running = _submit(pass.Operation);
        }
        catch (MergerQueueFullException)
        {
            // Expiring can wait.
            pass.TryLater();
            return;
        }
        catch (Exception ended) when (ended is DatabaseUnavailableException or StorageException)
        {
            _isStopped = true;
            return;
        }
        // A pass does not wait for a timer between its operations.
        _running.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(_woken);
    }

    private void End(Task running)
    {
        var pass = _runningPass!;
        try
        {
            running.GetAwaiter().GetResult();
            pass.Succeeded(_clock.GetElapsedTime(_submitted), IsShared);
        }
        catch (OperationException refusal)
        {
            pass.Failed(refusal, from => FirstReadable(pass.Operation.Kind, from));
        }
        catch (Exception ended) when (ended is DatabaseUnavailableException or StorageException)
        {
            // The database takes no more writes until it is opened again, and says so to its callers.
            _isStopped = true;
        }
    }
}
