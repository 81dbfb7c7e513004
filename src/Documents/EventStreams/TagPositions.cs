using Jackdaw.Storage.Trees;

namespace Jackdaw.Documents.EventStreams;

/// <summary>The positions of the events that have a tag.</summary>
internal sealed class TagPositions(BTreeCursor cursor, int tag) : PositionSource
{
    public override void Seek(long after)
    {
        if (after == long.MaxValue)
        {
            IsAtEnd = true;
            return;
        }
        Span<byte> key = stackalloc byte[EventsRoom.TagKeyBytes];
        EventsRoom.WriteTagKey(tag, after + 1, key);
        Take(cursor.Seek(key));
    }

    public override void MoveNext() => Take(cursor.MoveNext());

    public override void Dispose() => cursor.Dispose();

    private void Take(bool found)
    {
        IsAtEnd = !found || EventsRoom.ReadNameKey(cursor.Key) != tag;
        if (!IsAtEnd)
            Position = EventsRoom.ReadTagEtag(cursor.Key);
    }
}
