using Jackdaw.Documents.Layout;
using Jackdaw.Storage.Tables;

namespace Jackdaw.Documents.EventStreams;

/// <summary>The events of one stream between two numbers, both included.</summary>
internal sealed class StreamEventCursor : EventCursor
{
    private readonly TableIndexCursor _cursor;
    private readonly long _streamNumber;
    private readonly long _from;
    private readonly long _to;
    private readonly bool _isBackward;
    private bool _hasBegun;
    private bool _isAtEnd;
    private bool _isDisposed;

    public StreamEventCursor(EventStreamsReader reader, Table rows, long streamNumber, long from, long to, bool isBackward)
        : base(reader)
    {
        _cursor = rows.OpenCursor(EventsRoom.RowsByStream);
        _streamNumber = streamNumber;
        _from = from;
        _to = to;
        _isBackward = isBackward;
        _isAtEnd = from > to;
    }

    public override long Position => Schema.ReadEtagKey(_cursor.PrimaryKey);

    private protected override ReadOnlySpan<byte> Row => _cursor.Row;

    public override bool MoveNext()
    {
        if (_isAtEnd)
            return false;
        bool found = _hasBegun ? (_isBackward ? _cursor.MovePrevious() : _cursor.MoveNext()) : Begin();
        _hasBegun = true;
        _isAtEnd = !found || !IsWithin(_cursor.IndexKey);
        return !_isAtEnd;
    }

    protected override void Dispose(bool disposing)
    {
        if (_isDisposed)
            return;
        _isDisposed = _isAtEnd = true;
        _cursor.Dispose();
    }

    private bool Begin()
    {
        Span<byte> key = stackalloc byte[EventsRoom.EventKeyBytes];
        if (!_isBackward)
        {
            EventsRoom.WriteEventKey(_streamNumber, _from, key);
            return _cursor.Seek(key);
        }
        if (_to == long.MaxValue)
            EventsRoom.WriteEventKey(_streamNumber + 1, 0, key);
        else
            EventsRoom.WriteEventKey(_streamNumber, _to + 1, key);
        return _cursor.SeekBefore(key);
    }

    private bool IsWithin(ReadOnlySpan<byte> key)
    {
        long number = EventsRoom.ReadEventNumber(key);
        return EventsRoom.ReadStreamKey(key) == _streamNumber && number >= _from && number <= _to;
    }
}
