using Jackdaw.Documents.Layout;
using Jackdaw.Storage.Tables;

namespace Jackdaw.Documents.Reading;

/// <summary>
/// Walks a table's rows, or one of its indexes, within the keys of one prefix, either way. Placed by its first move.
/// </summary>
internal sealed class RowCursor : IDisposable
{
    private readonly TableCursor? _rows;
    private readonly TableIndexCursor? _entries;
    private readonly byte[] _start;
    private readonly byte[] _prefix;
    private readonly bool _startIsIncluded;
    private readonly bool _isDescending;
    private bool _isPlaced;
    private bool _hasEnded;

    /// <summary>Over the rows in primary key order, or over an index where one is given.</summary>
    /// <param name="table">The table.</param>
    /// <param name="index">Null: the primary key.</param>
    /// <param name="prefix">Keys that begin otherwise are not shown; empty: all.</param>
    /// <param name="start">Where to begin; empty: at the first (or, descending, at the last) of the prefix.</param>
    /// <param name="startIsIncluded">Show an entry of exactly the key <paramref name="start"/>.</param>
    /// <param name="isDescending">From the end.</param>
    public RowCursor(Table table, TableIndex? index, byte[] prefix, byte[] start, bool startIsIncluded, bool isDescending)
    {
        _rows = index is null ? table.OpenCursor() : null;
        _entries = index is null ? null : table.OpenCursor(index);
        _prefix = prefix;
        _entries?.StayWithin(prefix);
        _start = start;
        _startIsIncluded = startIsIncluded;
        _isDescending = isDescending;
    }

    /// <summary>Valid until the next move.</summary>
    public ReadOnlySpan<byte> Row => _rows is { } rows ? rows.Value : _entries!.Row;

    public long Etag => Schema.ReadEtagKey(_rows is { } rows ? rows.Key : _entries!.PrimaryKey);

    private ReadOnlySpan<byte> Key => _rows is { } rows ? rows.Key : _entries!.IndexKey;

    public bool MoveNext()
    {
        if (_hasEnded)
            return false;
        bool found = _isPlaced ? Advance() : Place();
        _isPlaced = true;
        if (found && Key.StartsWith(_prefix))
            return true;
        _hasEnded = true;
        return false;
    }

    public void Dispose()
    {
        _hasEnded = true;
        _rows?.Dispose();
        _entries?.Dispose();
    }

    private bool Place()
    {
        if (_isDescending)
            return PlaceDescending();
        var from = _start.AsSpan().SequenceCompareTo(_prefix) > 0 ? _start : _prefix;
        if (!Seek(from))
            return false;
        return _startIsIncluded || _start.Length == 0 || !Key.SequenceEqual(_start) || Advance();
    }

    private bool PlaceDescending()
    {
        // The end of a prefix: 0xFF stands in no text, and etags and collection ids do not reach it.
        byte[] end = [.. _prefix, 0xFF];
        byte[] from = _start.Length > 0 && _start.AsSpan().SequenceCompareTo(end) < 0 ? _start : end;
        if (!Seek(from))
            return SeekLast();
        return _startIsIncluded && Key.SequenceEqual(from) || Advance();
    }

    private bool Seek(byte[] key)
    {
        if (key.Length == 0)
            return _rows is { } all ? all.SeekFirst() : _entries!.SeekFirst();
        return _rows is { } rows ? rows.Seek(key) : _entries!.Seek(key);
    }

    private bool SeekLast() => _rows is { } rows ? rows.SeekLast() : _entries!.SeekLast();

    private bool Advance() =>
        _rows is { } rows
            ? _isDescending
                ? rows.MovePrevious()
                : rows.MoveNext()
            : _isDescending
                ? _entries!.MovePrevious()
                : _entries!.MoveNext();
}
