using Jackdaw.Documents.Watching;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Reading;

/// <summary>
/// Any number of sources of changes (documents, tombstones, each of all collections or of one) merged in etag order. Belongs to
/// its <see cref="DocumentsReader"/> and must not outlive it.
/// </summary>
public sealed class ChangeCursor
{
    /// <summary>The first <see cref="_count"/> are those that have not ended; once placed, a heap with the lowest etag on top.</summary>
    private readonly (long Etag, IChangeSource Source)[] _heap;

    private int _count;
    private bool _isPlaced;
    private long _lastEtag;

    internal ChangeCursor(IReadOnlyList<IChangeSource> sources)
    {
        _heap = new (long, IChangeSource)[sources.Count];
        foreach (var source in sources)
            _heap[_count++].Source = source;
    }

    /// <summary>The etag of the one moved to.</summary>
    public long CurrentEtag => _heap[0].Etag;

    /// <summary>The one moved to is a deletion.</summary>
    public bool IsCurrentTombstone => _heap[0].Source.Kind == ChangeKinds.Deletions;

    /// <summary>The one moved to; valid until the next move.</summary>
    public DocumentChange Current => _heap[0].Source.CurrentChange;

    /// <summary>Moves to the next; false at the end.</summary>
    public bool MoveNext()
    {
        if (!_isPlaced)
            Place();
        else if (_count > 0)
            Advance();
        if (_count == 0)
            return false;
        // Each change has an etag of its own, whatever its kind.
        Invariant.Require(_heap[0].Etag > _lastEtag);
        _lastEtag = _heap[0].Etag;
        return true;
    }

    private void Place()
    {
        _isPlaced = true;
        int count = 0;
        for (int i = 0; i < _count; i++)
        {
            var source = _heap[i].Source;
            if (source.MoveNext())
                _heap[count++] = (source.CurrentEtag, source);
        }
        _count = count;
        for (int i = (_count / 2) - 1; i >= 0; i--)
            SiftDown(i);
    }

    private void Advance()
    {
        var source = _heap[0].Source;
        if (source.MoveNext())
            _heap[0].Etag = source.CurrentEtag;
        else
            _heap[0] = _heap[--_count];
        SiftDown(0);
    }

    private void SiftDown(int at)
    {
        while (true)
        {
            int child = (2 * at) + 1;
            if (child + 1 < _count && _heap[child + 1].Etag < _heap[child].Etag)
                child++;
            if (child >= _count || _heap[at].Etag <= _heap[child].Etag)
                return;
            (_heap[at], _heap[child]) = (_heap[child], _heap[at]);
            at = child;
        }
    }
}
