using Jackdaw.Documents.Reading;
using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl.Reading;

/// <summary>The changes that a transform is for, in etag order. Belongs to its <see cref="DocumentsReader"/>.</summary>
internal sealed class ChangeReader
{
    private readonly List<ChangeCursor> _cursors = [];
    private readonly bool _isOverAll;
    private readonly bool _withDeletes;
    private ChangeCursor? _current;

    public ChangeReader(DocumentsReader reader, TransformConfiguration transform, long afterEtag)
    {
        _isOverAll = transform.ApplyToAllDocuments;
        _withDeletes = transform.PublishDeletes;
        if (_isOverAll)
        {
            Open(reader.Changes(afterEtag));
            return;
        }
        foreach (string collection in transform.Collections.Distinct(StringComparer.OrdinalIgnoreCase))
            Open(reader.Changes(collection, afterEtag));
    }

    /// <summary>The one moved to; valid until the next move.</summary>
    public DocumentChange Current => _current!.Current;

    /// <summary>False after <see cref="MoveNext(long)"/> has passed as many as it may.</summary>
    public bool IsCurrentWanted { get; private set; }

    /// <summary>Moves to the next; false at the end.</summary>
    public bool MoveNext() => MoveNext(long.MaxValue);

    /// <summary>Likewise, but after so many that the transform is not for it stands on the next of any kind.</summary>
    public bool MoveNext(long passAtMost)
    {
        while (true)
        {
            if (_current is { } last && !last.MoveNext())
                _cursors.Remove(last);
            _current = Lowest();
            if (_current is null)
                return false;
            IsCurrentWanted = IsWanted(_current);
            if (passAtMost-- <= 0 || IsCurrentWanted)
                return true;
        }
    }

    /// <summary>Does an ETL over all documents pass by this collection?</summary>
    internal static bool IsSystemCollection(ReadOnlySpan<byte> name) =>
        name.Length > 0 && name[0] == (byte)'@' && !name.SequenceEqual("@empty"u8);

    private void Open(ChangeCursor cursor)
    {
        if (cursor.MoveNext())
            _cursors.Add(cursor);
    }

    private ChangeCursor? Lowest()
    {
        if (_cursors.Count == 1)
            return _cursors[0];
        ChangeCursor? lowest = null;
        long etag = long.MaxValue;
        foreach (var cursor in _cursors)
        {
            if (lowest is not null && cursor.CurrentEtag >= etag)
                continue;
            lowest = cursor;
            etag = cursor.CurrentEtag;
        }
        return lowest;
    }

    private bool IsWanted(ChangeCursor cursor)
    {
        if (cursor.IsCurrentTombstone && !_withDeletes)
            return false;
        if (!_isOverAll)
            return true;
        var change = cursor.Current;
        return !IsSystemCollection(change.IsTombstone ? change.Tombstone.Collection : change.Document.Collection);
    }
}
