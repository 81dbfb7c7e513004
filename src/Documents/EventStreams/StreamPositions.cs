using Jackdaw.Documents.Layout;
using Jackdaw.Storage.Tables;

namespace Jackdaw.Documents.EventStreams;

/// <summary>
/// The positions of a stream's events that are not deleted. In a stream positions ascend with numbers, so the first one after a
/// position is found by halving the range of numbers: some twenty look-ups in a stream of a million events.
/// </summary>
internal sealed class StreamPositions(TableIndexCursor cursor, StoredStream stream) : PositionSource
{
    public override void Seek(long after)
    {
        // Most streams of a reader that comes back have nothing new.
        if (stream.DeletedUpTo == stream.Highest || !IsAfter(LastOfStream(), after))
        {
            IsAtEnd = true;
            return;
        }
        long low = stream.DeletedUpTo;
        long high = stream.Highest;
        // The event at low, if there is one, is not after the position; the first one from high on is.
        while (high - low > 1)
        {
            long middle = low + ((high - low) / 2);
            // Numbers have gaps: the event that is found may be beyond the middle.
            if (IsAfter(SeekNumber(middle), after))
                high = middle;
            else
                low = EventsRoom.ReadEventNumber(cursor.IndexKey);
        }
        Take(SeekNumber(high));
    }

    public override void MoveNext() => Take(cursor.MoveNext());

    public override void Dispose() => cursor.Dispose();

    private bool LastOfStream()
    {
        Span<byte> key = stackalloc byte[EventsRoom.EventKeyBytes];
        EventsRoom.WriteEventKey(stream.Number + 1, 0, key);
        return cursor.SeekBefore(key) && IsOfStream;
    }

    private bool SeekNumber(long number)
    {
        Span<byte> key = stackalloc byte[EventsRoom.EventKeyBytes];
        EventsRoom.WriteEventKey(stream.Number, number, key);
        return cursor.Seek(key) && IsOfStream;
    }

    private bool IsOfStream => EventsRoom.ReadStreamKey(cursor.IndexKey) == stream.Number;

    private bool IsAfter(bool found, long after) => found && Schema.ReadEtagKey(cursor.PrimaryKey) > after;

    private void Take(bool found)
    {
        IsAtEnd = !found || !IsOfStream;
        if (!IsAtEnd)
            Position = Schema.ReadEtagKey(cursor.PrimaryKey);
    }
}
