using System.Runtime.InteropServices;
using Jackdaw.Documents.Layout;
using Jackdaw.Storage;
using Jackdaw.Storage.Tables;

namespace Jackdaw.Documents.EventStreams;

/// <summary>The events after a position that are in one of some streams or have at least one of some tags, each once, in the order of
/// positions.</summary>
internal sealed class SelectedEventsCursor : EventCursor
{
    private readonly Table _rows;
    private readonly List<PositionSource> _sources;
    private long _position;
    private bool _isDisposed;

    /// <param name="reader">It ends with it.</param>
    /// <param name="tables">Of the same transaction.</param>
    /// <param name="sources">Of the streams and tags; given back with the cursor.</param>
    /// <param name="after">The position.</param>
    public SelectedEventsCursor(EventStreamsReader reader, EventTables tables, List<PositionSource> sources, long after)
        : base(reader)
    {
        _rows = tables.Rows;
        _position = after;
        _sources = sources;
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
            if (source.Position == _position)
                source.MoveNext();
            if (source.IsAtEnd || source.Position > next)
                continue;
            next = source.Position;
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
}
