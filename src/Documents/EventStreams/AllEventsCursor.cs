using Jackdaw.Documents.Layout;
using Jackdaw.Storage.Tables;

namespace Jackdaw.Documents.EventStreams;

/// <summary>All events after a position.</summary>
internal sealed class AllEventsCursor : EventCursor
{
    private readonly TableCursor _cursor;
    private readonly long _after;
    private bool _hasBegun;
    private bool _isDisposed;

    public AllEventsCursor(EventStreamsReader reader, Table rows, long after)
        : base(reader)
    {
        _cursor = rows.OpenCursor();
        _after = after;
    }

    public override long Position => Schema.ReadEtagKey(_cursor.Key);

    private protected override ReadOnlySpan<byte> Row => _cursor.Value;

    public override bool MoveNext()
    {
        if (_isDisposed)
            return false;
        if (_hasBegun)
            return _cursor.MoveNext();
        _hasBegun = true;
        if (_after == long.MaxValue)
        {
            Dispose();
            return false;
        }
        Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
        Schema.WriteEtagKey(_after + 1, key);
        return _cursor.Seek(key);
    }

    protected override void Dispose(bool disposing)
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        _cursor.Dispose();
    }
}
