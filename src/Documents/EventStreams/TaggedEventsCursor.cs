using System.Runtime.InteropServices;
using Jackdaw.Documents.Layout;
using Jackdaw.Storage;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Documents.EventStreams;

/// <summary>The events after a position that have at least one of some tags, each once, in the order of positions.</summary>
internal sealed class TaggedEventsCursor : EventCursor
{
    private readonly Table _rows;
    private readonly List<TagPlace> _sources = [];
    private long _position;
    private bool _isDisposed;

    public TaggedEventsCursor(EventStreamsReader reader, EventTables tables, IEnumerable<int> tags, long after)
        : base(reader)
    {
        _rows = tables.Rows;
        _position = after;
        foreach (int tag in tags.Distinct())
            _sources.Add(new TagPlace(tables.Tags.OpenCursor(), tag));
        foreach (var source in _sources)
            source.Seek(after);
    }

    public override long Position => _position;

    private protected override ReadOnlySpan<byte> Row
    {
        get
        {
            Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
            Schema.WriteEtagKey(_position, key);
            Invariant.Require(_rows.TryGet(key, out var row));
            // The row lies in page memory, whatever span it was looked up with.
            return MemoryMarshal.CreateReadOnlySpan(ref MemoryMarshal.GetReference(row), row.Length);
        }
    }

    public override bool MoveNext()
    {
        long next = long.MaxValue;
        bool found = false;
        foreach (var source in _sources)
        {
            if (source.IsAtEnd)
                continue;
            if (source.Etag == _position)
                source.MoveNext();
            if (source.IsAtEnd || source.Etag > next)
                continue;
            next = source.Etag;
            found = true;
        }
        if (found)
            _position = next;
        return found;
    }

    protected override void Dispose(bool disposing)
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        foreach (var source in _sources)
            source.Dispose();
        _sources.Clear();
    }

    /// <summary>The entries of one tag.</summary>
    private sealed class TagPlace(BTreeCursor cursor, int tag) : IDisposable
    {
        public bool IsAtEnd { get; private set; }

        public long Etag { get; private set; }

        public void Seek(long after)
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

        public void MoveNext() => Take(cursor.MoveNext());

        public void Dispose() => cursor.Dispose();

        private void Take(bool found)
        {
            IsAtEnd = !found || EventsRoom.ReadNameKey(cursor.Key) != tag;
            if (!IsAtEnd)
                Etag = EventsRoom.ReadTagEtag(cursor.Key);
        }
    }
}
