using Jackdaw.Documents.Buffers;

namespace Jackdaw.Documents.EventStreams;

/// <summary>A stream in an append: what is stored of it, and what the append makes of it.</summary>
internal sealed class PlannedStream
{
    private readonly List<EventGroup> _accepted = [];

    /// <summary>What it becomes, group by group.</summary>
    public StreamRow Row;

    public ByteRange Id { get; private set; }

    /// <summary>0: it is not stored yet.</summary>
    public long Number { get; set; }

    /// <summary>The highest number that is stored.</summary>
    public long StoredHighest { get; private set; }

    public long StoredDeletedUpTo { get; private set; }

    /// <summary>Why all groups that are not stored already are refused; null: they are not.</summary>
    public AppendOutcome? Refusal { get; set; }

    /// <summary>In the order of numbers.</summary>
    public IReadOnlyList<EventGroup> Accepted => _accepted;

    /// <summary>This append makes it.</summary>
    public bool IsNew { get; set; }

    public bool IsWritten { get; set; }

    public void Begin(ByteRange id, EventTables? tables, ReadOnlySpan<byte> text)
    {
        Id = id;
        Number = 0;
        Row = default;
        Refusal = null;
        IsNew = IsWritten = false;
        _accepted.Clear();
        if (tables is { } stored && stored.TryGetStream(text, out long number, out var row))
        {
            Number = number;
            Row = row;
        }
        StoredHighest = Row.Highest;
        StoredDeletedUpTo = Row.DeletedUpTo;
    }

    public void Accept(EventGroup group) => _accepted.Add(group);

    /// <summary>The accepted group that holds a number; null: none does.</summary>
    public EventGroup? AcceptedWith(long number)
    {
        int low = 0;
        for (int high = _accepted.Count; low < high; )
        {
            int middle = (low + high) / 2;
            if (_accepted[middle].LastNumber < number)
                low = middle + 1;
            else
                high = middle;
        }
        return low < _accepted.Count && _accepted[low].FirstNumber <= number ? _accepted[low] : null;
    }
}
