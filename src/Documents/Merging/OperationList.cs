using Jackdaw.Documents.Commands;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Merging;

/// <summary>Operations in order, linked by their own field: an operation is in one list at a time.</summary>
internal sealed class OperationList
{
    public MergedOperation? First { get; private set; }

    private MergedOperation? Last { get; set; }

    public int Count { get; private set; }

    /// <summary>What was counted for them when they were queued.</summary>
    public long Bytes { get; private set; }

    public bool IsEmpty => First is null;

    public void Add(MergedOperation operation)
    {
        operation.Next = null;
        if (Last is null)
            First = operation;
        else
            Last.Next = operation;
        Last = operation;
        Count++;
        Bytes += operation.CountedBytes;
    }

    public void AddFirst(MergedOperation operation)
    {
        operation.Next = First;
        First = operation;
        Last ??= operation;
        Count++;
        Bytes += operation.CountedBytes;
    }

    public MergedOperation TakeFirst()
    {
        Invariant.Require(First is not null);
        var first = First;
        First = first.Next;
        if (First is null)
            Last = null;
        first.Next = null;
        Count--;
        Bytes -= first.CountedBytes;
        return first;
    }

    public void Clear()
    {
        First = null;
        Last = null;
        Count = 0;
        Bytes = 0;
    }

    /// <summary>Moves everything of the other list to the end of this one.</summary>
    public void AddAll(OperationList other)
    {
        while (!other.IsEmpty)
            Add(other.TakeFirst());
    }
}
