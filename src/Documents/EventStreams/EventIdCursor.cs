using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Reading;
using Jackdaw.Storage.Tables;

namespace Jackdaw.Documents.EventStreams;

/// <summary>
/// Events as documents, in the order of ids, either way. A stream without an event in the range is a hidden place of its own, so that no
/// move goes over many of them.
/// </summary>
internal sealed class EventIdCursor : IPresentedCursor, IDisposable
{
    private readonly EventStreamsReader _reader;
    private readonly EventDocument _document;
    private readonly TableIndexCursor _rows;
    private readonly StreamNumberWalk _streams;
    private readonly long _from;
    private readonly long _to;
    private readonly bool _isDescending;
    private readonly byte[] _start;
    private readonly byte[] _id = new byte[EventDocumentId.MaxBytes];
    private long _stream;
    private long _number;
    private bool _hasRow;
    private bool _isBeforeStart;
    private bool _isDisposed;

    /// <param name="reader">Of the streams.</param>
    /// <param name="rows">Their rows.</param>
    /// <param name="streams">Those that are walked.</param>
    /// <param name="range">The lowest and the highest number that is shown.</param>
    /// <param name="start">In lower case; those behind it in the order of the cursor are shown. Empty: all.</param>
    /// <param name="isDescending">From the last to the first.</param>
    /// <param name="document">Makes the documents.</param>
    public EventIdCursor(
        EventStreamsReader reader,
        Table rows,
        StreamNumberWalk streams,
        (long From, long To) range,
        byte[] start,
        bool isDescending,
        EventDocument document
    )
    {
        _reader = reader;
        _document = document;
        _rows = rows.OpenCursor(EventsRoom.RowsByStream);
        _streams = streams;
        (_from, _to) = range;
        _isDescending = isDescending;
        _start = start;
    }

    public bool IsHidden => !_hasRow || _isBeforeStart || _number <= _reader.DeletedUpTo(_stream);

    public long Etag => _hasRow ? Schema.ReadEtagKey(_rows.PrimaryKey) : 0;

    public Document Current
    {
        get
        {
            if (_hasRow)
                return _document.Make(new StoredEvent(Etag, new EventRow(_rows.Row), _reader));
            var id = _id.AsSpan(0, EventDocumentId.Write(_stream, _number, _id));
            return new Document
            {
                Id = id,
                LowerId = id,
                Collection = CollectionNames.Events,
                HasCollection = true,
            };
        }
    }

    public bool MoveNext()
    {
        if (_isDisposed)
            return false;
        if (_stream == 0)
            return Begin();
        if (_hasRow && MoveInStream())
            return true;
        return EnterStream(_streams.Next(_stream, _isDescending), _isDescending ? _to : _from);
    }

    public void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        _rows.Dispose();
    }

    private bool Begin()
    {
        // A start that is the id of an event is gone to at once; any other text is compared with each id.
        if (EventDocumentId.TryRead(_start, out long stream, out long number) && _streams.Has(stream))
        {
            bool isAtEdge = _isDescending ? number <= _from : number >= _to;
            long next = isAtEdge ? (_isDescending ? _from : _to) : number + (_isDescending ? -1 : 1);
            return isAtEdge
                ? EnterStream(_streams.Next(stream, _isDescending), _isDescending ? _to : _from)
                : EnterStream(stream, Math.Clamp(next, _from, _to));
        }
        return EnterStream(_streams.First(_isDescending), _isDescending ? _to : _from);
    }

    private bool EnterStream(long stream, long number)
    {
        _stream = stream;
        _hasRow = false;
        if (stream == 0)
        {
            Dispose();
            return false;
        }
        Span<byte> key = stackalloc byte[EventsRoom.EventKeyBytes];
        if (!_isDescending)
        {
            EventsRoom.WriteEventKey(stream, number, key);
            Take(_rows.Seek(key));
        }
        else
        {
            EventsRoom.WriteEventKey(number == long.MaxValue ? stream + 1 : stream, number == long.MaxValue ? 0 : number + 1, key);
            Take(_rows.SeekBefore(key));
        }
        if (!_hasRow)
        {
            // Behind everything of the stream in the order of the cursor: who goes on behind it goes on with the next stream.
            _number = _isDescending ? _from : _to;
            NoteStart();
        }
        return true;
    }

    private bool MoveInStream()
    {
        Take(_isDescending ? _rows.MovePrevious() : _rows.MoveNext());
        return _hasRow;
    }

    private void Take(bool found)
    {
        _hasRow = found && EventsRoom.ReadStreamKey(_rows.IndexKey) == _stream;
        if (!_hasRow)
            return;
        long number = EventsRoom.ReadEventNumber(_rows.IndexKey);
        _hasRow = number >= _from && number <= _to;
        if (!_hasRow)
            return;
        _number = number;
        NoteStart();
    }

    private void NoteStart()
    {
        if (_start.Length == 0)
            return;
        int order = _id.AsSpan(0, EventDocumentId.Write(_stream, _number, _id)).SequenceCompareTo(_start);
        _isBeforeStart = _isDescending ? order >= 0 : order <= 0;
    }
}
