using Jackdaw.Documents.Commands;

namespace Jackdaw.Documents.Merging;

/// <summary>
/// Operations on their way to the merger: many threads add, the merger takes all at once, in the order of arrival. The links are
/// the operations' own.
/// </summary>
internal sealed class OperationQueue
{
    // Newest first, each linked to the one before it.
    private MergedOperation? _newest;
    private volatile bool _closed;

    /// <summary>False when closed. <paramref name="wasEmpty"/>: the merger may be asleep.</summary>
    public bool TryAdd(MergedOperation operation, out bool wasEmpty)
    {
        wasEmpty = false;
        var seen = Volatile.Read(ref _newest);
        while (true)
        {
            if (seen is ClosedMark)
                return false;
            operation.Next = seen;
            var found = Interlocked.CompareExchange(ref _newest, operation, seen);
            if (ReferenceEquals(found, seen))
                break;
            seen = found;
        }
        wasEmpty = seen is null;
        return true;
    }

    public bool IsEmpty => Volatile.Read(ref _newest) is null or ClosedMark;

    public bool IsClosed => _closed;

    /// <summary>Moves what is queued at this moment to the end of the list.</summary>
    public void TakeAll(OperationList into)
    {
        if (IsEmpty)
            return;
        Append(Interlocked.Exchange(ref _newest, null), into);
    }

    /// <summary>Takes what is left; whatever is added from now on is refused.</summary>
    public void Close(OperationList into)
    {
        _closed = true;
        var last = Interlocked.Exchange(ref _newest, ClosedMark.Instance);
        if (last is not ClosedMark)
            Append(last, into);
    }

    private static void Append(MergedOperation? newest, OperationList into)
    {
        MergedOperation? oldest = null;
        while (newest is not null)
        {
            var before = newest.Next;
            newest.Next = oldest;
            oldest = newest;
            newest = before;
        }
        while (oldest is not null)
        {
            var next = oldest.Next;
            into.Add(oldest);
            oldest = next;
        }
    }
}
