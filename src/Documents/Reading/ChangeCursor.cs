using Jackdaw.Storage;

namespace Jackdaw.Documents.Reading;

/// <summary>Documents and tombstones merged in etag order. Belongs to its <see cref="DocumentsReader"/> and must not outlive it.</summary>
public sealed class ChangeCursor
{
    private readonly DocumentCursor _documents;
    private readonly TombstoneCursor _tombstones;
    private bool _hasDocument;
    private bool _hasTombstone;
    private bool _isPlaced;
    private bool _isTombstone;

    internal ChangeCursor(DocumentCursor documents, TombstoneCursor tombstones)
    {
        _documents = documents;
        _tombstones = tombstones;
    }

    /// <summary>Moves to the next; false at the end.</summary>
    public bool MoveNext()
    {
        if (!_isPlaced)
        {
            _hasDocument = _documents.MoveNext();
            _hasTombstone = _tombstones.MoveNext();
            _isPlaced = true;
        }
        else if (_isTombstone)
        {
            _hasTombstone = _hasTombstone && _tombstones.MoveNext();
        }
        else
        {
            _hasDocument = _hasDocument && _documents.MoveNext();
        }
        if (!_hasDocument && !_hasTombstone)
            return false;
        Invariant.Require(!_hasDocument || !_hasTombstone || _documents.CurrentEtag != _tombstones.CurrentEtag);
        _isTombstone = !_hasDocument || (_hasTombstone && _tombstones.CurrentEtag < _documents.CurrentEtag);
        return true;
    }

    /// <summary>The etag of the one moved to.</summary>
    public long CurrentEtag => _isTombstone ? _tombstones.CurrentEtag : _documents.CurrentEtag;

    /// <summary>The one moved to is a deletion.</summary>
    public bool IsCurrentTombstone => _isTombstone;

    /// <summary>The one moved to; valid until the next move.</summary>
    public DocumentChange Current =>
        _isTombstone
            ? new DocumentChange { IsTombstone = true, Tombstone = _tombstones.Current }
            : new DocumentChange { Document = _documents.Current };
}
