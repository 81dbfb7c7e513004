using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Watching;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Documents.EventStreams;

/// <summary>
/// Deletions of events, one by one, in etag order: each record of the room is expanded into the events that it deletes and that are still
/// on disk.
/// </summary>
internal sealed class EventDeletionSource : IChangeSource, IDisposable
{
    private readonly EventStreamsReader _reader;
    private readonly ChangeVectorHistory _changeVectors;
    private readonly BTreeCursor _records;
    private readonly TableIndexCursor _rows;
    private readonly byte[] _id = new byte[EventDocumentId.MaxBytes];
    private readonly byte[] _changeVector = new byte[ChangeVector.MaxElementBytes];
    private readonly long _afterEtag;
    private DeletionRecord _record;
    private long _lastEtag;
    private long _etag;
    private long _number;
    private bool _hasBegun;
    private bool _hasRecord;
    private bool _isDisposed;

    public EventDeletionSource(EventStreamsReader reader, EventTables tables, ChangeVectorHistory changeVectors, long afterEtag)
    {
        _reader = reader;
        _changeVectors = changeVectors;
        _records = tables.Deletions.OpenCursor();
        _rows = tables.Rows.OpenCursor(EventsRoom.RowsByStream);
        _afterEtag = afterEtag;
    }

    public ChangeKinds Kind => ChangeKinds.Deletions;

    public long CurrentEtag => _etag;

    public DocumentChange CurrentChange
    {
        get
        {
            int idLength = EventDocumentId.Write(_record.StreamNumber, _number, _id);
            int vectorLength = _changeVectors.Write(_etag, _changeVector);
            return new DocumentChange
            {
                IsTombstone = true,
                Tombstone = new Tombstone
                {
                    Id = _id.AsSpan(0, idLength),
                    LowerId = _id.AsSpan(0, idLength),
                    Etag = _etag,
                    DocumentEtag = Schema.ReadEtagKey(_rows.PrimaryKey),
                    ChangeVector = _changeVector.AsSpan(0, vectorLength),
                    LastModifiedTicks = _record.Ticks,
                    Collection = CollectionNames.Events,
                    StreamId = _reader.StreamId(_record.StreamNumber),
                },
            };
        }
    }

    public bool MoveNext()
    {
        if (_isDisposed)
            return false;
        if (_hasRecord && Take(_rows.MoveNext()))
            return true;
        while (NextRecord())
        {
            if (EnterRecord())
                return true;
        }
        Dispose();
        return false;
    }

    public void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        _hasRecord = false;
        _records.Dispose();
        _rows.Dispose();
    }

    private bool NextRecord()
    {
        _hasRecord = false;
        if (_hasBegun)
            return _records.MoveNext();
        _hasBegun = true;
        if (_afterEtag == long.MaxValue)
            return false;
        Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
        Schema.WriteEtagKey(Math.Max(0, _afterEtag) + 1, key);
        return _records.Seek(key);
    }

    /// <summary>Goes to the first event of the record whose deletion lies above <see cref="_afterEtag"/>; false: none is on disk.</summary>
    private bool EnterRecord()
    {
        _record = DeletionRecord.Read(_records.Value);
        _lastEtag = Schema.ReadEtagKey(_records.Key);
        _hasRecord = true;
        if (_record.IsByNumber(_lastEtag))
        {
            long passed = Math.Max(0, _afterEtag - _record.FirstEtag + 1);
            return Take(Seek(_record.From + passed));
        }
        // Rows are removed from the lowest number up: counted from the highest one, the etag of an event stays what it is.
        long left = 0;
        for (bool found = Seek(_record.From); found && IsInRecord(); found = _rows.MoveNext())
            left++;
        _etag = _lastEtag - left;
        bool has = Take(Seek(_record.From));
        while (has && _etag <= _afterEtag)
            has = Take(_rows.MoveNext());
        return has;
    }

    private bool Seek(long number)
    {
        Span<byte> key = stackalloc byte[EventsRoom.EventKeyBytes];
        EventsRoom.WriteEventKey(_record.StreamNumber, number, key);
        return _rows.Seek(key);
    }

    private bool Take(bool found)
    {
        if (!found || !IsInRecord())
            return false;
        _number = EventsRoom.ReadEventNumber(_rows.IndexKey);
        _etag = _record.IsByNumber(_lastEtag) ? _record.FirstEtag + (_number - _record.From) : _etag + 1;
        return true;
    }

    private bool IsInRecord() =>
        EventsRoom.ReadStreamKey(_rows.IndexKey) == _record.StreamNumber && EventsRoom.ReadEventNumber(_rows.IndexKey) <= _record.To;
}
