using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Expiring;

/// <summary>
/// The passes of one kind: when the next one begins, and how far the one under way is. A pass begins when a document is due and the
/// interval has passed since the one before began. It ends when nothing is due any more, or when it has taken as many documents as
/// it may.
/// </summary>
internal sealed class DueDocumentsPass
{
    /// <summary>How soon it tries again after a failure that may pass.</summary>
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(10);

    /// <summary>How long it rests when it passes over what cannot be read: each refused operation makes others be executed again.</summary>
    private static readonly TimeSpan s_skip = TimeSpan.FromMilliseconds(100);

    /// <summary>It looks again after this time at the latest: the clock may be set meanwhile.</summary>
    private static readonly TimeSpan s_longestWait = TimeSpan.FromHours(1);

    /// <summary>Beside other writers it rests no longer than this between two operations.</summary>
    private static readonly TimeSpan s_longestRest = TimeSpan.FromMilliseconds(50);

    private readonly DueDates _due;
    private readonly TimeProvider _clock;
    private DueDocumentsSettings? _settings;
    private int _isConfiguredAnew;
    private long? _passBegan;
    private long _restBegan;
    private TimeSpan _rest;
    private bool _isUnderWay;
    private long _doneInPass;
    private long? _mostNext;
    private long _done;
    private long _skipped;
    private long _passes;

    public DueDocumentsPass(DocumentDateKind kind, DueDates due, TimeProvider clock)
    {
        Operation = new DueDocumentsOperation(kind) { IsBackground = true };
        _due = due;
        _clock = clock;
    }

    /// <summary>Does the work.</summary>
    public DueDocumentsOperation Operation { get; }

    /// <summary>As configured last; null: never. Set from any thread; the next pass may then begin at once.</summary>
    public DueDocumentsSettings? Settings
    {
        get => Volatile.Read(ref _settings);
        set
        {
            Volatile.Write(ref _settings, value);
            Volatile.Write(ref _isConfiguredAnew, 1);
        }
    }

    /// <summary>Documents expired or refreshed since the database was opened. Read on any thread.</summary>
    public long Done => Volatile.Read(ref _done);

    /// <summary>Documents that the last pass could not read. Read on any thread.</summary>
    public long Skipped => Volatile.Read(ref _skipped);

    /// <summary>Passes begun since the database was opened. Read on any thread.</summary>
    public long Passes => Volatile.Read(ref _passes);

    /// <summary>It is configured, or documents may have such a date. Read on any thread.</summary>
    public bool IsUsed => Settings is not null || _due.Lowest(Operation.Kind) != DueDates.Never;

    /// <summary>How long there is nothing to do; <see cref="Timeout.InfiniteTimeSpan"/>: until a document gets an earlier date, or until
    /// it is configured.</summary>
    public TimeSpan Wait()
    {
        if (Settings is not { Disabled: false } settings)
            return Timeout.InfiniteTimeSpan;
        if (Interlocked.Exchange(ref _isConfiguredAnew, 0) != 0)
            _passBegan = null;
        var wait = Left(_restBegan, _rest);
        if (_isUnderWay)
            return wait;
        long lowest = _due.Lowest(Operation.Kind);
        if (lowest == DueDates.Never)
            return Timeout.InfiniteTimeSpan;
        long now = _clock.GetUtcNow().UtcTicks;
        var untilDue = lowest <= now ? TimeSpan.Zero : TimeSpan.FromTicks(lowest - now);
        var untilPass = _passBegan is { } began ? Left(began, settings.Interval) : TimeSpan.Zero;
        return Longer(wait, Longer(untilPass, untilDue < s_longestWait ? untilDue : s_longestWait));
    }

    /// <summary>Prepares the next operation, which begins a pass or goes on with one.</summary>
    /// <param name="isShared">Others write too.</param>
    public void Prepare(bool isShared)
    {
        if (!_isUnderWay)
        {
            _isUnderWay = true;
            _passBegan = _clock.GetTimestamp();
            _doneInPass = 0;
            Operation.From = default;
            Volatile.Write(ref _skipped, 0);
            Volatile.Write(ref _passes, _passes + 1);
        }
        _rest = TimeSpan.Zero;
        long most = isShared ? Limits.DueDocumentsPerSharedOperation : Limits.DueDocumentsPerOperation;
        if (Settings?.MaxItemsToProcess is { } mostInPass)
            most = Math.Min(most, Math.Max(1, mostInPass - _doneInPass));
        Operation.MaxDocuments = Math.Min(most, _mostNext ?? most);
        Operation.MaxBytes = isShared ? Limits.DueDocumentBytesPerSharedOperation : Limits.DueDocumentBytesPerOperation;
        _mostNext = null;
    }

    /// <summary>The operation has ended well.</summary>
    /// <param name="took">Since it was submitted.</param>
    /// <param name="isShared">Others write too.</param>
    public void Succeeded(TimeSpan took, bool isShared)
    {
        _doneInPass += Operation.Done;
        Volatile.Write(ref _done, _done + Operation.Done);
        if (Operation.IsRestUnreadable)
            Volatile.Write(ref _skipped, Math.Max(1, _skipped));
        _isUnderWay = Operation.HasMore && (Settings?.MaxItemsToProcess is not { } most || _doneInPass < most);
        if (isShared)
            Rest(took < s_longestRest ? took : s_longestRest);
    }

    /// <summary>
    /// The operation was refused. What was refused with it is tried without the document that it came to last; that one is left to
    /// the next pass, if it cannot be read or written. So is a damaged page of the dates, with all that lies on it.
    /// </summary>
    /// <param name="refusal">Why.</param>
    /// <param name="firstReadable">Finds the first entry at a key or after it that can be read.</param>
    public void Failed(OperationException refusal, Func<(long Ticks, long Etag), (long Ticks, long Etag)?> firstReadable)
    {
        if (refusal is not (DamagedPageException or OperationTooLargeException))
        {
            TryLater();
            return;
        }
        if (Operation.Done > 0)
        {
            _mostNext = refusal is DamagedPageException ? Operation.Done : Math.Max(1, Operation.Done / 2);
            return;
        }
        Rest(s_skip);
        if (Operation.Current is { } current)
            Skip((current.Ticks, current.Etag + 1));
        else if (firstReadable(Operation.From) is { } readable && readable != Operation.From)
            Skip(readable);
        else
        {
            // Nothing is left that could be read: until the next pass.
            _isUnderWay = false;
            Volatile.Write(ref _skipped, Math.Max(1, _skipped));
        }
    }

    /// <summary>The operation could not be done for a reason that may pass.</summary>
    public void TryLater() => Rest(s_retry);

    private void Skip((long Ticks, long Etag) to)
    {
        Operation.From = to;
        Volatile.Write(ref _skipped, _skipped + 1);
    }

    private void Rest(TimeSpan time)
    {
        _restBegan = _clock.GetTimestamp();
        _rest = time;
    }

    private TimeSpan Left(long since, TimeSpan time)
    {
        if (time == TimeSpan.Zero)
            return time;
        var left = time - _clock.GetElapsedTime(since);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    private static TimeSpan Longer(TimeSpan one, TimeSpan other) => one > other ? one : other;
}
