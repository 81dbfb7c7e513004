using Jackdaw.Documents.Buffers;
using Jackdaw.Documents.Errors;

namespace Jackdaw.Documents.EventStreams;

/// <summary>Consecutive events of one stream, stored together or not at all. Made by <see cref="AppendOperation.AddGroup"/>.</summary>
public sealed class EventGroup
{
    private readonly AppendOperation _append;

    internal EventGroup(AppendOperation append, int index)
    {
        _append = append;
        Index = index;
        FirstEvent = append.EventCount;
    }

    /// <summary>The number of the first event; null: the one after <see cref="ExpectedLast"/>.</summary>
    public long? First { get; set; }

    /// <summary>The highest number that the stream must have; null: any.</summary>
    public long? ExpectedLast { get; set; }

    /// <summary>A replaced writer becomes the current one again.</summary>
    public bool TakesOver { get; set; }

    /// <summary>Its events so far.</summary>
    public int Count { get; private set; }

    /// <summary>A result.</summary>
    public AppendOutcome Outcome { get; internal set; }

    /// <summary>The highest number of the stream after the append. A result.</summary>
    public long Highest { get; internal set; }

    /// <summary>The position of its last event; 0 when it was not stored, or is deleted and removed. A result.</summary>
    public long LastPosition { get; internal set; }

    internal int Index { get; }

    internal int FirstEvent { get; }

    internal ByteRange Stream { get; private set; }

    internal ByteRange Writer { get; private set; }

    internal bool HasTooLarge { get; private set; }

    internal PlannedStream Planned { get; set; } = null!;

    internal PlannedGroupKind Kind { get; set; }

    /// <summary>The group of the same append that this one repeats; null: none.</summary>
    internal EventGroup? Repeated { get; set; }

    /// <summary>The number of the first event, once the group is complete.</summary>
    internal long FirstNumber => First ?? ExpectedLast!.Value + 1;

    internal long LastNumber => FirstNumber + Count - 1;

    private AppendPlace Place => new(Index);

    /// <summary>Sets the stream's id, 1 to 1,000 bytes of UTF-8.</summary>
    /// <exception cref="InvalidAppendException">It is empty or too long.</exception>
    public void SetStream(ReadOnlySpan<byte> id)
    {
        if (id.IsEmpty)
            throw new InvalidAppendException($"{Place}.stream is empty; a stream id has 1 to {Limits.MaxEventTextBytes:N0} bytes.");
        Stream = _append.AddText(id, Place with { Member = "stream" });
    }

    /// <summary>Sets the writer, at most 1,000 bytes of UTF-8; empty: none.</summary>
    /// <exception cref="InvalidAppendException">It is too long.</exception>
    public void SetWriter(ReadOnlySpan<byte> writer) => Writer = _append.AddText(writer, Place with { Member = "writer" });

    /// <summary>Adds an event. Only to the last group that was added to the append.</summary>
    /// <exception cref="InvalidAppendException">A part of it breaks a rule or is over a limit, other than that of the payload's
    /// size.</exception>
    public void Add(in NewEvent added)
    {
        var appended = _append.AddEvent(this, added);
        Count++;
        HasTooLarge |= appended.PayloadBytes > _append.MaxEventBytes;
    }

    /// <summary>Verifies what concerns the group as a whole.</summary>
    internal void Complete()
    {
        if (Stream.IsEmpty)
            throw new InvalidAppendException($"{Place} names no stream.");
        if (Count == 0)
            throw new InvalidAppendException($"{Place} has no events.");
        if (First is null && ExpectedLast is null)
            throw new InvalidAppendException($"{Place} names neither first nor expectedLast: the events have no numbers.");
        if (First is < 1)
            throw new InvalidAppendException($"{Place}.first is {First}; numbers begin at 1.");
        if (ExpectedLast is < 0)
            throw new InvalidAppendException($"{Place}.expectedLast is {ExpectedLast}; it is at least 0.");
        if ((First is null && ExpectedLast == long.MaxValue) || FirstNumber > long.MaxValue - Count + 1)
            throw new InvalidAppendException($"{Place} goes beyond the highest number of an event, {long.MaxValue}.");
    }
}
